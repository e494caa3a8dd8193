import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodEntries } from './../api/methods.ts';
import type { Json } from './../core/json.ts';
import { strictCaller } from './testing/caller.suite.ts';
import { type House, openHouse } from './testing/house.suite.ts';
import { TestSocket } from './testing/socket.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { call, refused } = strictCaller(() => house);

describe('every method', () => {
  it.each(methodEntries)('%s is for its role and those above', async (name, { role }) => {
    const order = ['viewer', 'operator', 'admin'] as const;
    for (const mine of order) {
      const { error } = await call(name, { '?': 1 }, { role: mine, socket: new TestSocket() });
      const allowed = order.indexOf(mine) >= order.indexOf(role);
      expect([mine, error?.code]).toEqual([mine, allowed ? -32602 : 4002]);
    }
  });

  it.each(methodEntries)('%s wants its params by name', async (name) => {
    const { code, data } = await refused(name, ['x'], { socket: new TestSocket() });
    expect(code).toBe(-32602);
    expect(data['hint']).toMatch(/takes none|send an object with/);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('has no key "%s"', async (key) => {
    const params = JSON.parse(`{"${key}": {"task_id": "x"}}`) as Json;
    for (const [name] of methodEntries) {
      const { code } = await refused(name, params, { socket: new TestSocket() });
      expect([name, code]).toEqual([name, -32602]);
    }
  });
});
