import { afterEach, describe, expect, it } from 'vitest';
import { type House, openHouse } from './testing/house.suite.ts';

describe('whoever waits for a result when the server goes', () => {
  let house: House;
  afterEach(() => house.close());

  it('is answered with how far it is', async () => {
    house = await openHouse();
    const { call, face } = house;
    const submitted = await call('task.submit', { protocol: 'test/v1', method: 'hold' });
    const { task_id } = submitted.result as { task_id: string };
    const waiting = call('task.result', { task_id, wait: 60_000 });
    face.stop();
    expect(await waiting).toMatchObject({
      result: { task_id, status: expect.stringMatching(/queued|executing/) },
    });
    expect(await call('task.result', { task_id, wait: 60_000 })).toMatchObject({ result: { task_id } });
  });
});

describe('whoever waits for a result over a connection that stays', () => {
  let house: House;
  afterEach(() => house.close());

  it('lets others have its place, and only then', async () => {
    house = await openHouse();
    const { ask, holding } = house;
    let asides = 0;
    const aside = <Result>(wait: () => Promise<Result>) => {
      asides++;
      return wait();
    };
    const { task_id = '' } = await ask('task.submit', { protocol: 'test/v1', method: 'hold' });
    const workflow = { name: 'w', tasks: [{ id: 'a', protocol: 'test/v1', method: 'echo' }] };
    const { workflow_id = '' } = await ask('workflow.submit', { workflow });
    await ask('task.result', { task_id }, { aside });
    await ask('workflow.results', { workflow_id, wait: 0 }, { aside });
    expect(asides).toBe(0);
    await ask('workflow.results', { workflow_id, wait: 60_000 }, { aside });
    const waited = ask('task.result', { task_id, wait: 60_000 }, { aside });
    await expect.poll(() => holding.length).toBe(1);
    holding.splice(0)[0]?.(1);
    expect(await waited).toMatchObject({ status: 'completed' });
    expect(asides).toBe(2);
  });
});

describe('how long to wait', () => {
  let house: House;
  afterEach(() => house.close());

  it('is a number of milliseconds, or text with its unit', async () => {
    house = await openHouse();
    const { ask, call, holding } = house;
    const { task_id = '' } = await ask('task.submit', { protocol: 'test/v1', method: 'hold' });
    const waited = ask('task.result', { task_id, wait: '1m' });
    await expect.poll(() => holding.length).toBe(1);
    holding.splice(0)[0]?.(1);
    expect(await waited).toMatchObject({ status: 'completed' });
    expect(await ask('task.result', { task_id, wait: '250ms' })).toMatchObject({ status: 'completed' });
    for (const [wait, reason] of [
      ['5', '"5" is text without a unit'],
      ['soon', '"soon" is no duration'],
      ['61s', 'must be at most 1 minute'],
      [60_001, 'must be <= 60000, found 60001'],
      [1.5, 'must be integer or string, not 1.5'],
    ] as const) {
      for (const method of ['task.result', 'workflow.results']) {
        const id = method === 'task.result' ? { task_id } : { workflow_id: 'w' };
        const { error } = await call(method, { ...id, wait });
        expect(error?.data, `${method} ${wait}`).toMatchObject({
          error_code: 'GLZ1012',
          field: 'wait',
          reason,
        });
      }
    }
    const { error } = await call('task.result', { task_id, wait: '5' });
    expect(error?.data['hint']).toContain('milliseconds, or text with a unit: 5s');
  });
});
