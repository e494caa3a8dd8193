import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../../../test/seed.ts';
import { TestProvider } from '../../engine/testing/provider.suite.ts';
import type { Message } from '../broker.ts';
import { agent, BridgeWorld, foreignTask, ownTask } from './service.suite.ts';

const piece = fc.record({
  kind: fc.constantFrom('own', 'own', 'foreign', 'foreign', 'unreadable', 'unknown'),
  agent: fc.nat(2),
  key: fc.nat(4),
  ms: fc.constantFrom(0, 0, 1, 3),
  fails: fc.constantFrom(0, 0, 0, 1, 9),
  times: fc.constantFrom(1, 1, 2, 3),
});

const story = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 25 }),
  order: fc.infiniteStream(fc.nat()),
  concurrency: fc.integer({ min: 1, max: 3 }),
  most_messages: fc.integer({ min: 1, max: 8 }),
  /** What a second bridge does meanwhile. */
  other: fc.constantFrom('never', 'comes', 'dies', 'stops'),
});

type Piece = typeof piece extends fc.Arbitrary<infer One> ? One : never;

function messageOf(
  { kind, agent: number, key, ms, fails }: Piece,
  index: number,
): { id: string; message: Message } {
  const input_data = { ms, fails };
  const id = `task-${index}`;
  const name = kind === 'unknown' ? 'nobody' : `agent-${number}`;
  if (kind === 'unreadable') return { id, message: { key: `run-${key}`, value: `{"${id}":` } };
  if (kind !== 'own') {
    const ids = { run_id: `run-${key}`, task_id: id, correlation_id: 'the same for all', input_data };
    return { id, message: foreignTask(name, ids) };
  }
  const workflow_id = `run-${key}`;
  return {
    id,
    message: ownTask({ task_id: id, workflow_id, params: input_data, agent: name }).message,
  };
}

/** Agents and providers that take their time and fail as they are told; how often each task was called. */
function agents(calls: Map<string, number>) {
  const all = [0, 1, 2].flatMap((n) => [agent(`agent-${n}`), new TestProvider(`agent-${n}`)]);
  for (const one of all)
    one.reply = async ({ task_id, params, attempt }) => {
      calls.set(task_id, (calls.get(task_id) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, Number(params['ms'])));
      if (attempt > Number(params['fails'])) return { word: 'done', result: JSON.stringify({ task_id }) };
      return { word: 'failed', error: { code: 1, message: 'no', data: { error_code: 'GLZ2010' } } };
    };
  return all;
}

it('whatever comes, however often and in whatever order: each task that can be read has one result, and nothing is passed over', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ pieces, order, concurrency, most_messages, other }) => {
      const world = await BridgeWorld.open(3);
      const calls = new Map<string, number>();
      const options = { concurrency, most_messages };
      const draws = order[Symbol.iterator]();
      const all = pieces
        .flatMap((one, index) => {
          const { id, message } = messageOf(one, index);
          return Array.from({ length: one.times }, () => ({ id, message, kind: one.kind }));
        })
        .map((entry) => ({ ...entry, rank: draws.next().value }))
        .sort((a, b) => a.rank - b.rank);
      try {
        await world.bridge(agents(calls), { options });
        const second = other === 'never' ? null : await world.bridge(agents(calls), { options });
        await world.send(...all.map(({ message }) => message));
        if (other === 'dies') second?.broker.kill();
        if (other === 'stops') await second?.service.stop(1);
        await world.done();
        const readable = all.filter(({ kind }) => kind !== 'unreadable');
        const ids = new Set(readable.map(({ id }) => id));
        const told = () => new Set(world.results.items.map(({ task_id }) => String(task_id)));
        await world.results.until(() => told().size === ids.size);
        expect(told()).toEqual(ids);
        const broken = all.length - readable.length;
        await world.letters.until(({ length }) => length >= broken);
        expect(world.letters.items.length).toBeGreaterThanOrEqual(broken);
        for (const id of ids) {
          const contents = world.results.items.filter(({ task_id }) => task_id === id).map(essence);
          expect(new Set(contents).size).toBe(1);
        }
        const known = readable.filter(({ kind }) => kind !== 'unknown').map(({ id }) => id);
        expect(new Set(calls.keys())).toEqual(new Set(known));
        if (other === 'never') for (const count of calls.values()) expect(count).toBe(1);
      } finally {
        await world.close();
      }
    }),
    { seed, numRuns: 40 },
  );
});

/** What it says, whoever says it and when. */
function essence({ timestamp: _, took_ms: __, ...result }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(result);
}
