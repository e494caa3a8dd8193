import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Method } from '../api/method.ts';
import { type MethodName, methodEntries } from '../api/methods.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type House, openHouse } from './testing/house.suite.ts';
import { misfit } from './testing/judge.suite.ts';
import { TestSocket } from './testing/socket.suite.ts';

let house: House;
/** Values that fit, by the names of params. */
const fitting = new Map<string, Json[]>();

beforeAll(async () => {
  house = await openHouse();
  const task = { protocol: 'test/v1', method: 'echo', params: {} };
  const workflow = {
    name: 'w',
    tasks: [
      { id: 'a', ...task },
      { id: 'b', ...task, method: 'refuse', needs: ['a'] },
    ],
  };
  const { task_id = '' } = await house.ask('task.submit', task);
  const { workflow_id = '', tasks = {} } = await house.ask('workflow.submit', { workflow });
  const held = { tasks: [{ id: 'h', protocol: 'test/v1', method: 'hold' }] };
  const open = await house.ask('workflow.submit', { workflow: held });
  await house.ask('workflow.results', { workflow_id, wait: 10_000 });
  await house.ask('workflow.define', { workflow: { ...workflow, version: '1' } });
  const url = 'http://127.0.0.1:9/';
  await house.ask('agent.create', { name: 'nobody', url });
  const values = {
    url,
    timeout_ms: [100],
    input: ['hi', { text: 'hi' }],
    task_id: [task_id, (tasks as JsonObject)['b'] ?? '', 'nobody'],
    workflow_id: [workflow_id, open['workflow_id'] ?? '', 'nobody'],
    task: [task, { ...task, timeout: '5s' }],
    tasks: [[task, task], [{ task }], ['a']],
    ...task,
    workflow: [workflow],
    name: ['w', 'test/v1', 'nobody'],
    version: ['1', '7'],
    from: ['a', 'b', 'c'],
    protocol: [{ name: 'p/v1', methods: { m: {} } }, 'test/v1'],
    id: ['test-1', 'a'],
    subscription_id: ['a1b2'],
    limit: [1, 100],
    wait: [1],
    status: ['failed', ['completed']],
    priority: ['high', ['low', 'normal']],
    order: ['newest', 'oldest'],
    events: ['task:failed', ['task:queued']],
    created_from: ['2026-01-05T09:30:00Z'],
    cursor: [0, 1],
    reason: ['why not'],
  };
  for (const [name, list] of Object.entries(values)) fitting.set(name, Array.isArray(list) ? list : [list]);
});
afterAll(() => house.close());

/** A wait that is meant would only make the test wait; what is no number of milliseconds is as good as ever. */
function impatient(params: Json): Json {
  if (!isObject(params) || typeof params['wait'] !== 'number') return params;
  return { ...params, wait: Math.min(params['wait'], 2) };
}

/** What somebody might send: nearly the right things, the right names with anything in them, or anything. */
function paramsOf(method: Method): fc.Arbitrary<Json> {
  const { properties, required } = JSON.parse(JSON.stringify(method.params)) as JsonObject;
  const names = Object.keys(isObject(properties) ? properties : {});
  const needed = Array.isArray(required) ? (required as string[]) : [];
  const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const key = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...(names.length > 0 ? names : ['none'])) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '', 'length') },
    { weight: 1, arbitrary: fc.string() },
  );
  const wild = fc.array(fc.tuple(key, anything), { maxLength: names.length + 1 });
  const few = fc.subarray(names, { maxLength: Math.min(1, names.length) });
  const chosen = fc.oneof(fc.subarray(names), few, fc.constant(names.slice(0, 1)));
  const tame = fc
    .tuple(chosen, fc.nat(5))
    .map(([some, pick]) =>
      [...new Set([...needed, ...some])].map((name) => [name, likely(name, pick)] as const),
    );
  const mixed = fc
    .tuple(tame, fc.array(fc.tuple(key, anything), { maxLength: 1 }))
    .map((parts) => parts.flat());
  const byName = fc.oneof(tame, mixed, wild).map((entries) => Object.fromEntries(entries) as Json);
  return fc.oneof({ weight: 9, arbitrary: byName }, { weight: 1, arbitrary: anything });
}

function likely(name: string, pick: number): Json {
  const list = fitting.get(name) ?? ['key'];
  return list[pick % list.length] ?? null;
}

const calls = fc.oneof(
  ...methodEntries.map(([name, method]) =>
    fc.record({ name: fc.constant(name), params: paramsOf(method).map(impatient) }),
  ),
);

describe('whatever is sent', () => {
  it('is answered by its schema or with a documented error', async () => {
    const socket = new TestSocket();
    const good = new Map<MethodName, number>();
    await fc.assert(
      fc.asyncProperty(calls, async ({ name, params }) => {
        const structured = Array.isArray(params) || isObject(params);
        const answer = await house.call(name, structured ? params : { value: params }, { socket });
        expect(misfit(name, answer)).toBeUndefined();
        if (answer.error === undefined) good.set(name, (good.get(name) ?? 0) + 1);
      }),
      { numRuns: 4000, endOnFailure: true },
    );
    // Of most methods some calls were right, whatever the others did before: results were put to the test too.
    const never = methodEntries.map(([name]) => name).filter((name) => !good.has(name));
    expect(never.length).toBeLessThan(6);
    const mistakes = house.log.filter(({ level }) => level === 'error');
    expect(mistakes).toEqual([]);
  }, 120_000);
});
