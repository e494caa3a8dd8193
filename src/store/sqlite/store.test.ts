import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Write } from '../../core/writes.ts';
import { graph, LANE, lone } from '../suite/build.suite.ts';
import { done, settling } from '../suite/scene.suite.ts';
import { verifyStore } from '../suite/verify.suite.ts';
import { holderOf, readHolder } from './lock.ts';
import { childWithStore, machineClock, openAt, refusal, temporaryPath } from './testing.suite.ts';

const SLOW = { timeout: 60_000 };
const submit = (...ids: readonly string[]): Write => ({ kind: 'submit', runs: ids.map((id) => lone(id)) });
const join1: Write = { kind: 'join', owner: 'e1', ttl_ms: 1000 };
const claim = { owner: 'e1', limit: 10, lanes: [LANE] };

describe('a store in a file', SLOW, () => {
  it('makes its folder, and files that only their owner can read', async () => {
    const path = join(dirname(temporaryPath()), 'a', 'b', 'store.db');
    const store = await openAt(path);
    await store.commit({ writes: [submit('t1')], claim: null });
    const files = readdirSync(dirname(path));
    expect(files).toContain('store.db-wal');
    for (const file of files) expect(statSync(join(dirname(path), file)).mode & 0o077, file).toBe(0);
  });

  it('leaves one file with everything in it when it is closed', async () => {
    const path = temporaryPath();
    const store = await openAt(path);
    await store.commit({ writes: [submit('t1')], claim: null });
    await store.close();
    expect(readdirSync(dirname(path)).sort()).toEqual(['store.db', 'store.db-lock']);
    expect((await refusal(store.reads.cursor())).code).toBe('GLZ3001');
    expect((await refusal(store.commit({ writes: [], claim: null }))).code).toBe('GLZ3001');
    await store.close();
  });

  it('answers commits that come at once, each with its own verdicts, in order', async () => {
    const store = await openAt(temporaryPath());
    const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const answers = await Promise.all([
      store.commit({ writes: [join1], claim: null }),
      ...ids.map((id) => store.commit({ writes: [submit(id)], claim: { ...claim, limit: 1 } })),
    ]);
    expect(answers.flatMap(({ claimed }) => claimed.map(({ task }) => task.task_id))).toEqual(ids);
    const again = await Promise.all(
      ['t1', 'new', 't2'].map((id) => store.commit({ writes: [submit(id)], claim: null })),
    );
    expect(again.map(({ verdicts }) => verdicts[0]?.ok)).toEqual([false, true, false]);
    await verifyStore(store);
  });

  it('shows reads everything that was committed before they were asked', async () => {
    const store = await openAt(temporaryPath());
    for (let round = 0; round < 50; round++) {
      await store.commit({ writes: [submit(`t${round}`)], claim: null });
      expect(await store.reads.cursor()).toBe(round + 1);
    }
  });

  it('keeps its time when the clock of the machine goes back', async () => {
    const path = temporaryPath();
    const ahead = { ...machineClock, wall: () => Date.now() + 3_600_000 };
    const first = await openAt(path, { clock: ahead });
    const { now } = await first.commit({ writes: [submit('t1')], claim: null });
    await first.close();
    const second = await openAt(path);
    expect((await second.commit({ writes: [], claim: null })).now).toBeGreaterThanOrEqual(now);
  });

  it('may be read by others who do not write', async () => {
    const path = temporaryPath();
    const store = await openAt(path);
    await store.commit({ writes: [submit('t1')], claim: null });
    const reading = await openAt(path, { readonly: true });
    expect((await reading.reads.task('t1'))?.task.status).toBe('queued');
    expect((await refusal(reading.commit({ writes: [submit('t2')], claim: null }))).code).toBe('GLZ3004');
  });

  it('moves a long log into its file while it works', async () => {
    const path = temporaryPath();
    const store = await openAt(path);
    const params = JSON.stringify('x'.repeat(200_000));
    for (let round = 0; round < 45; round++) {
      const runs = Array.from({ length: 10 }, (_, index) => lone(`t${round}-${index}`, { params }));
      await store.commit({ writes: [{ kind: 'submit', runs }], claim: null });
    }
    await expect.poll(() => statSync(path).size, SLOW).toBeGreaterThan(60_000_000);
    await store.commit({ writes: [submit('last')], claim: null });
    expect((await store.reads.stats()).tasks).toEqual({ queued: 451 });
  });
});

describe('the process that holds a store', SLOW, () => {
  it('is alone, and named to whoever comes second', async () => {
    const path = temporaryPath();
    const child = childWithStore(path, `say('open'); setInterval(() => {}, 1000);`);
    expect(await child.line()).toBe('open');
    const error = await refusal(openAt(path));
    expect(error.code).toBe('GLZ3002');
    expect(error.message).toContain(`process ${child.process.pid}`);
    child.process.kill('SIGKILL');
    await child.exit();
    await openAt(path);
    expect(readHolder(path)?.pid).toBe(process.pid);
    expect((await refusal(openAt(path))).message).toContain('this process');
  });

  it('leaves no note of itself when it closes the store', async () => {
    const path = temporaryPath();
    expect(readHolder(path)).toBe(null);
    const store = await openAt(path);
    expect(readHolder(path)).toMatchObject({ pid: process.pid });
    await store.close();
    expect(readHolder(path)).toBe(null);
  });

  it('says where it can be reached, until it is gone', async () => {
    const path = temporaryPath();
    expect(holderOf(path)).toBe(null);
    const store = await openAt(path);
    expect(holderOf(path)).toMatchObject({ pid: process.pid, address: null });
    await store.setAddress('http://127.0.0.1:8000');
    expect(holderOf(path)?.address).toBe('http://127.0.0.1:8000');
    expect(statSync(`${path}.lock`).mode & 0o077).toBe(0);
    expect((await refusal(openAt(path))).details.reason).toContain('reached at http://127.0.0.1:8000');
    await store.setAddress(null);
    expect(holderOf(path)?.address).toBe(null);
    await store.close();
    expect(holderOf(path)).toBe(null);
    const reading = await openAt(path, { readonly: true });
    expect((await refusal(reading.setAddress('x'))).code).toBe('GLZ3004');
  });

  it('that was killed is not taken for one that can be reached', async () => {
    const path = temporaryPath();
    const child = childWithStore(
      path,
      `await store.setAddress('/tmp/socket'); say('open'); setInterval(() => {}, 1000);`,
    );
    await child.line();
    expect(holderOf(path)).toMatchObject({ pid: child.process.pid, address: '/tmp/socket' });
    child.process.kill('SIGKILL');
    await child.exit();
    expect(readHolder(path)?.address).toBe('/tmp/socket');
    expect(holderOf(path)).toBe(null);
  });

  it('ends by itself although the store is open, but not before its commits are answered', async () => {
    const path = temporaryPath();
    const run = JSON.stringify(lone('t1'));
    const script = `store.commit({ writes: [{ kind: 'submit', runs: [${run}] }], claim: null }).then(() => say('done'));`;
    const child = childWithStore(path, script);
    expect(await child.line()).toBe('done');
    expect(await child.exit()).toBe(0);
    const store = await openAt(path);
    expect((await store.reads.task('t1'))?.task.status).toBe('queued');
  });

  it('loses nothing that was answered when it is killed, and what it held is rescued at once', async () => {
    const path = temporaryPath();
    const child = childWithStore(
      path,
      `const runs = ${JSON.stringify([lone('held'), graph('w1', { a: {}, b: { after: ['a'] } })])};
       const claim = { owner: 'e0', limit: 2, lanes: [${JSON.stringify(LANE)}] };
       await store.commit({ writes: [{ kind: 'join', owner: 'e0', ttl_ms: 1 }], claim: null });
       await store.commit({ writes: [{ kind: 'submit', runs }], claim });
       const run = ${JSON.stringify(lone('ID'))};
       for (let i = 0; ; i++) {
         const next = JSON.parse(JSON.stringify(run).replaceAll('ID', 't' + i));
         await store.commit({ writes: [{ kind: 'submit', runs: [next] }], claim: null });
         say(String(i));
       }`,
    );
    let last = -1;
    while (last < 200) last = Number(await child.line());
    child.process.kill('SIGKILL');
    await child.exit();
    expect(existsSync(`${path}-wal`)).toBe(true);
    const store = await openAt(path);
    for (let i = 0; i <= last; i++) expect(await store.reads.task(`t${i}`), `t${i}`).not.toBe(null);
    const { verdicts, claimed } = await store.commit({
      writes: [{ kind: 'rescue', limit: 100 }, join1],
      claim: { ...claim, limit: 2 },
    });
    expect(verdicts[0]).toEqual({ ok: true, answer: { rescued: 2, more: false } });
    expect(claimed.map(({ task }) => [task.task_id, task.suspect])).toEqual([
      ['held', true],
      ['w1/a', true],
    ]);
    await store.commit({ writes: claimed.map(({ task }) => settling(task, done())), claim: null });
    await verifyStore(store);
  });
});
