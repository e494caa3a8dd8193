import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/services/postgres.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { arriving, handingOver, nextOf } from '../suite/away.suite.ts';
import { graph, LANE, lone } from '../suite/build.suite.ts';
import { done, settling, starting, the } from '../suite/scene.suite.ts';
import { openAt, query } from './harness.suite.ts';

let database: FreshDatabase;
let store: Store;
let other: Store | null;
beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  store = await openAt(database.url, { poolSize: 1 });
  other = null;
});
afterEach(async () => {
  await store.close();
  await other?.close();
  await database.drop();
});

async function openOther(): Promise<Store> {
  other = await openAt(database.url, { poolSize: 1 });
  return other;
}

const joining: Write = { kind: 'join', owner: 'e1', ttl_ms: 60_000 };

function claiming(limit: number, ...writes: readonly Write[]) {
  return store.commit({ writes, claim: { owner: 'e1', limit, lanes: [LANE] } });
}

describe('a run that a store remembers', () => {
  const chain = graph('w1', {
    a: {},
    b: { after: ['a'], reads: ['a'] },
    c: { after: ['b'], reads: ['a', 'b'] },
  });

  it('goes on step by step, each with the results it refers to, and no task stands in the queue', async () => {
    await claiming(9, joining);
    let { claimed } = await claiming(9, { kind: 'submit', runs: [chain] });
    const inputs = [];
    for (let step = 1; step <= 3; step++) {
      const [next] = claimed;
      inputs.push(the(next).payloads?.inputs);
      expect(await query(database.url, 'SELECT * FROM gleitzeit.ready')).toEqual([]);
      ({ claimed } = await claiming(9, settling(the(next).task, done(`"r${step}"`))));
    }
    const settled = (result: string) => ({ status: 'completed', result });
    expect(inputs).toEqual([{}, { a: settled('"r1"') }, { a: settled('"r1"'), b: settled('"r2"') }]);
    expect(the(await store.reads.run('w1')).run).toMatchObject({ status: 'completed', open: 0 });
  });

  it('is read anew when somebody else moved it', async () => {
    const { claimed } = await claiming(9, joining, { kind: 'submit', runs: [chain] });
    await store.commit({ writes: [starting(the(claimed[0]).task)], claim: null });
    const second = await openOther();
    await second.commit({ writes: [{ kind: 'pause_run', workflow_id: 'w1' }], claim: null });
    const answer = await claiming(9, settling(the(claimed[0]).task, done()));
    expect(answer.verdicts).toMatchObject([{ ok: true, answer: { recorded: true } }]);
    expect(answer.claimed).toEqual([]);
    expect(the(await second.reads.task('w1/b')).task).toMatchObject({ status: 'queued', parked: 'paused' });
  });
});

describe('a call that is handed over of a task that a store remembers', () => {
  it('is answered through it or any other, and goes on from what is there', async () => {
    const runs = [graph('w1', { a: {}, b: { after: ['a'] } }), lone('t1'), lone('t2')];
    const { claimed } = await claiming(9, joining, { kind: 'submit', runs });
    const tasks = claimed.map(({ task }) => task);
    const handed = await store.commit({ writes: tasks.map((task) => handingOver(task)), claim: null });
    for (const verdict of handed.verdicts) expect(verdict).toMatchObject({ answer: { handed_over: true } });
    expect(await query(database.url, 'SELECT * FROM gleitzeit.held')).toEqual([]);
    const second = await openOther();
    const [first, ...others] = tasks.map((task) => arriving(nextOf(task), done()));
    await second.commit({ writes: [the(first)], claim: null });
    const { verdicts } = await claiming(9, ...others, the(first));
    const recorded = verdicts.map((verdict) => verdict.ok && verdict.answer);
    expect(recorded).toMatchObject([{ recorded: true }, { recorded: true }, { recorded: false }]);
    expect(the(await store.reads.task('w1/b')).task).toMatchObject({ status: 'queued' });
  });

  it('is not, where somebody else ended the claim', async () => {
    const { claimed } = await claiming(9, joining, { kind: 'submit', runs: [lone('t1'), lone('t2')] });
    const [one, two] = claimed.map(({ task }) => task);
    const second = await openOther();
    await second.commit({ writes: [{ kind: 'cancel_task', task_id: 't1', reason: null }], claim: null });
    const writes = [handingOver(the(one)), handingOver(the(two))];
    const { verdicts } = await store.commit({ writes, claim: null });
    expect(verdicts).toMatchObject([
      { answer: { handed_over: false, unwanted: true } },
      { answer: { handed_over: true } },
    ]);
  });
});

describe('a run that a store remembered and somebody else worked on', () => {
  const joined = graph('w1', { a: {}, b: {}, c: { after: ['a', 'b'] } });

  it('is decided over what the others left, also after it was read for something else', async () => {
    const { claimed } = await claiming(1, joining, { kind: 'submit', runs: [joined] });
    const second = await openOther();
    const claim = { owner: 'e2', limit: 1, lanes: [LANE] };
    const { claimed: theirs } = await second.commit({ writes: [{ ...joining, owner: 'e2' }], claim });
    await second.commit({ writes: [settling(the(theirs[0]).task, done())], claim: null });
    await store.commit({ writes: [starting(the(claimed[0]).task)], claim: null });
    await claiming(1, { kind: 'pause_run', workflow_id: 'w1' });
    await claiming(1, { kind: 'resume_run', workflow_id: 'w1' });
    const last = await claiming(1, settling(the(claimed[0]).task, done()));
    expect(last.claimed.map(({ task }) => task.task_id)).toEqual(['w1/c']);
    expect(the(await store.reads.run('w1')).run).toMatchObject({ open: 1 });
  });

  it('is forgotten when it is pruned, and may come again under the same id', async () => {
    const { claimed } = await claiming(2, joining, { kind: 'submit', runs: [graph('w2', { a: {} })] });
    await claiming(1, settling(the(claimed[0]).task, done()));
    await store.commit({ writes: [{ kind: 'prune', keep_ms: -1000, limit: 5 }], claim: null });
    const again = await claiming(2, { kind: 'submit', runs: [graph('w2', { a: {} })] });
    expect(again.claimed.map(({ task }) => [task.task_id, task.fence])).toEqual([['w2/a', 1]]);
  });
});

describe('a task that is made ready and claimed by one commit', () => {
  it('gives way to a better one that somebody else put into the queue', async () => {
    await claiming(1, joining);
    const second = await openOther();
    await second.commit({
      writes: [{ kind: 'submit', runs: [lone('better', { priority: 'urgent' })] }],
      claim: null,
    });
    const { claimed } = await claiming(1, { kind: 'submit', runs: [lone('worse')] });
    expect(claimed.map(({ task }) => task.task_id)).toEqual(['better']);
    const next = await claiming(1);
    expect(next.claimed.map(({ task }) => task.task_id)).toEqual(['worse']);
  });

  it('stays in the queue when the engine is not known', async () => {
    await claiming(1, joining);
    const second = await openOther();
    await second.commit({ writes: [{ kind: 'leave', owner: 'e1' }], claim: null });
    const answer = await claiming(1, { kind: 'submit', runs: [lone('t1')] });
    expect(answer).toMatchObject({ lease_lost: true, claimed: [] });
    expect(await query(database.url, 'SELECT fence::int FROM gleitzeit.ready')).toEqual([{ fence: 0 }]);
  });
});
