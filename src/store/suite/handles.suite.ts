import { describe, expect, it, type TestContext } from 'vitest';
import type { ChangeHint, Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { agent, graph, LANE, lone } from './build.suite.ts';
import type { StoreHarness } from './harness.suite.ts';
import { accepted, done, scenes, settling, starting } from './scene.suite.ts';
import { allEvents } from './verify.suite.ts';

const LONG = { timeout: 60_000 };

export function handlesSuite(harness: StoreHarness): void {
  describe('two handles on the same data', () => {
    const scene = scenes(harness);

    it('see at once what the other committed', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      await submit(first, lone('t1'));
      expect(await second.reads.task('t1')).toEqual(await first.reads.task('t1'));
      expect(await second.reads.cursor()).toBe(1);
    });

    it('never claim the same task', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const ids = Array.from({ length: 200 }, (_, index) => `t${index}`);
      await submit(first, ...ids.map((id) => lone(id)));
      const taken = await Promise.all([
        claimAll(first, 'e1'),
        claimAll(second, 'e2'),
        claimAll(second, 'e2'),
      ]);
      expect(taken.flat().sort()).toEqual([...ids].sort());
    });

    it('settle one run together and keep its counters right', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const middle = Array.from({ length: 80 }, (_, index) => `m${index}`);
      const tasks = Object.fromEntries(middle.map((id) => [id, {}]));
      await submit(first, graph('w1', { ...tasks, z: { after: middle } }));
      await Promise.all([work(first, 'e1'), work(second, 'e2'), work(second, 'e2')]);
      await Promise.all([work(first, 'e1'), work(second, 'e2')]);
      expect(await scene().run('w1')).toMatchObject({ status: 'completed', open: 0, total: 81 });
    });

    it('settle the same runs in opposite order without hindering each other', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const runs = Array.from({ length: 10 }, (_, index) => `w${index}`);
      await submit(first, ...runs.map((id) => graph(id, { a: {}, b: {}, c: { after: ['a', 'b'] } })));
      const claimed = (await first.commit({ writes: [], claim: { owner: 'e1', limit: 99, lanes: [LANE] } }))
        .claimed;
      const settles = (id: string) =>
        claimed.filter(({ task }) => task.id === id).map(({ task }) => settling(task, done()));
      const answers = await Promise.all([
        first.commit({ writes: settles('a'), claim: null }),
        second.commit({ writes: settles('b').reverse(), claim: null }),
      ]);
      for (const verdict of answers.flatMap(({ verdicts }) => verdicts)) {
        expect(accepted<'settle'>(verdict).recorded).toBe(true);
      }
      expect((await scene().store.reads.stats()).tasks).toEqual({ completed: 20, queued: 10 });
    });

    it('record one outcome of a task, whoever comes first', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      for (let round = 0; round < 10; round++) {
        await submit(first, lone(`t${round}`));
        const task = await scene().claimOne('e1');
        const answers = await Promise.all([
          first.commit({ writes: [settling(task, done('1'))], claim: null }),
          second.commit({ writes: [settling(task, done('2'))], claim: null }),
          second.commit({
            writes: [{ kind: 'cancel_task', task_id: task.task_id, reason: null }],
            claim: null,
          }),
        ]);
        expect(answers.flatMap(({ settled }) => settled).length).toBe(1);
      }
    });

    it(
      'accept one of two submissions under the same key, and answer the other with it',
      LONG,
      async ({ skip }) => {
        const [first, second] = await both(skip);
        for (let round = 0; round < 10; round++) {
          const named = (id: string) => lone(id, {}, { idempotency_key: `k${round}`, body_hash: 'same' });
          const answers = await Promise.all([
            submit(first, named(`a${round}`)),
            submit(second, named(`b${round}`)),
          ]);
          const runs = answers.flatMap((answer) => answer.runs);
          expect(runs.map(({ created }) => created).sort()).toEqual([false, true]);
          expect(runs[0]?.tasks).toEqual(runs[1]?.tasks);
        }
      },
    );

    it('write one of two versions of a document', LONG, async ({ skip }) => {
      const stores = await both(skip);
      for (let version = 0; version < 10; version++) {
        const puts = stores.map((store, index) => {
          const write: Write = {
            kind: 'put_document',
            collection: 'c',
            key: 'k',
            text: `${index}`,
            expect: version,
          };
          return store.commit({ writes: [write], claim: null });
        });
        const oks = (await Promise.all(puts)).map(({ verdicts }) => verdicts[0]?.ok);
        expect(oks.sort()).toEqual([false, true]);
      }
    });

    it('number the log so that a reader who follows misses nothing', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const write = async (store: Store, name: string) => {
        for (let index = 0; index < 40; index++) await submit(store, graph(`${name}${index}`, { a: {} }));
      };
      let writing = true;
      const seen: number[] = [];
      const follow = async () => {
        for (let after = 0; ; ) {
          const last = !writing;
          const page = await first.reads.events({ after, limit: 7 });
          seen.push(...page.events.map(({ cursor }) => cursor));
          after = page.cursor;
          if (last && !page.more) return;
        }
      };
      const reader = follow();
      await Promise.all([write(first, 'a'), write(second, 'b'), write(second, 'c')]);
      writing = false;
      await reader;
      expect(seen).toEqual(Array.from({ length: 240 }, (_, index) => index + 1));
      expect((await allEvents(second.reads)).length).toBe(240);
    });

    it('are told of work, results and calls to end that come from the other', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const ready = hint(second, ({ ready }) => ready);
      await submit(first, lone('t1'), lone('t2'));
      await ready;
      const [t1, t2] = [await scene().claimOne('e1'), await scene().claimOne('e1')];
      const settled = hint(second, (told) => told.settled);
      await first.commit({ writes: [settling(t1, done())], claim: null });
      await settled;
      await first.commit({ writes: [starting(t2)], claim: null });
      const revoked = hint(first, (told) => told.revoked);
      await second.commit({ writes: [{ kind: 'cancel_task', task_id: 't2', reason: null }], claim: null });
      await revoked;
    });

    it('are told of agents that the other one has put there or removed', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      for (const write of [
        { kind: 'put_agent', agent: agent('Writer'), expect: 0 },
        { kind: 'delete_agent', name: 'Writer', expect: 1 },
      ] as const) {
        const heard = hint(second, ({ agents }) => agents);
        await first.commit({ writes: [write], claim: null });
        await heard;
      }
      expect(await second.reads.agent('Writer')).toBe(null);
    });

    it('are not told of what they did themselves', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      const heard: ChangeHint[] = [];
      first.onChange((told) => heard.push(told));
      await submit(first, lone('t1'));
      const other = hint(first, ({ settled }) => settled);
      await second.commit({ writes: [{ kind: 'cancel_task', task_id: 't1', reason: null }], claim: null });
      await other;
      expect(heard.map(({ ready }) => ready)).toEqual([false]);
    });

    it('are told of what is committed the moment they are there', LONG, async ({ skip }) => {
      const { second } = scene().open;
      if (second === undefined) return skip();
      await scene().join('e1');
      for (let count = 0; count < 10; count++) {
        const heard = hint(await second(), ({ ready }) => ready);
        await submit(scene().store, lone(`t${count}`));
        await heard;
      }
    });

    it('are told nothing more once they stopped listening', LONG, async ({ skip }) => {
      const [first, second] = await both(skip);
      let told = 0;
      second.onChange(() => told++)();
      const other = hint(second, ({ ready }) => ready);
      await submit(first, lone('t1'));
      await other;
      expect(told).toBe(0);
    });

    async function both(skip: TestContext['skip']): Promise<[Store, Store]> {
      const { second } = scene().open;
      if (second === undefined) return skip();
      const other = await second();
      await scene().join('e1', 'e2');
      return [scene().store, other];
    }
  });
}

function hint(store: Store, matches: (hint: ChangeHint) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.onChange((told) => {
      if (!matches(told)) return;
      stop();
      resolve();
    });
  });
}

async function submit(store: Store, ...runs: readonly ReturnType<typeof lone>[]) {
  const { verdicts } = await store.commit({ writes: [{ kind: 'submit', runs }], claim: null });
  return accepted<'submit'>(verdicts[0]);
}

async function claimAll(store: Store, owner: string): Promise<string[]> {
  const taken: string[] = [];
  for (;;) {
    const { claimed } = await store.commit({ writes: [], claim: { owner, limit: 7, lanes: [LANE] } });
    if (claimed.length === 0) return taken;
    taken.push(...claimed.map(({ task }) => task.task_id));
  }
}

/** Claims and settles until there is nothing left to claim. */
async function work(store: Store, owner: string): Promise<void> {
  let writes: Write[] = [];
  for (;;) {
    const { claimed, verdicts } = await store.commit({ writes, claim: { owner, limit: 3, lanes: [LANE] } });
    for (const verdict of verdicts) expect(accepted<'settle'>(verdict).recorded).toBe(true);
    if (claimed.length === 0) return;
    writes = claimed.map(({ task }) => settling(task, done()));
  }
}
