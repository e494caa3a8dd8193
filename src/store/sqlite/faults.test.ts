import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Write } from '../../core/writes.ts';
import { lone } from '../suite/build.suite.ts';
import { allTasks, verifyStore } from '../suite/verify.suite.ts';
import { Committer } from './commit.ts';
import { connect } from './connection.ts';
import { storeError } from './errors.ts';
import { HeldStore } from './held-store.ts';
import { readHolder } from './lock.ts';
import { migrate } from './migrate.ts';
import { childWithStore, openAt, refusal, temporaryPath } from './testing.suite.ts';

const SLOW = { timeout: 60_000 };
const params = JSON.stringify('x'.repeat(20_000));
const submit = (id: string): Write => ({ kind: 'submit', runs: [lone(id, { params })] });

/** A file system of its own, of a few megabytes; null where this user may not mount one. */
function smallDisk(): string | null {
  const folder = join(dirname(temporaryPath()), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

describe('a full disk', SLOW, () => {
  it('refuses commits, loses nothing, and is forgotten when there is room again', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === null) return skip();
    const filler = join(disk, 'filler');
    const store = await openAt(join(disk, 'store.db'));
    await store.commit({ writes: [submit('before')], claim: null });
    fill(filler);
    const accepted: string[] = ['before'];
    for (let index = 0; ; index++) {
      const answer = await store
        .commit({ writes: [submit(`t${index}`)], claim: null })
        .catch((error) => error);
      if (answer instanceof Error) {
        expect(answer).toMatchObject({ code: 'GLZ3003' });
        break;
      }
      accepted.push(`t${index}`);
    }
    expect((await refusal(store.commit({ writes: [submit('no')], claim: null }))).code).toBe('GLZ3003');
    expect((await allTasks(store.reads)).map(({ task_id }) => task_id)).toEqual(accepted);
    rmSync(filler);
    await store.commit({ writes: [submit('after')], claim: null });
    expect((await allTasks(store.reads)).map(({ task_id }) => task_id)).toEqual([...accepted, 'after']);
    await verifyStore(store);
  });

  it('rolls back whatever a commit had written by then', () => {
    const path = temporaryPath();
    const db = connect(path);
    onTestFinished(() => db.close());
    migrate(db, { path });
    const committer = new Committer(db, () => () => 1000);
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
    db.exec(`PRAGMA max_page_count = ${pages + 20}`);
    const commit = (...ids: string[]) => committer.commit([{ writes: ids.map(submit), claim: null }]);
    commit('t1');
    const many = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const error = attempt(() => commit(...many));
    expect(storeError(error, path).code).toBe('GLZ3003');
    expect(committer.memory).toMatchObject({ cursor: 1, taskTally: { queued: 1 } });
    db.exec('PRAGMA max_page_count = 100000');
    commit(...many);
    expect(committer.memory).toMatchObject({ cursor: 51, taskTally: { queued: 51 } });
  });
});

function fill(filler: string): void {
  const file = openSync(filler, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}

describe('a disk that fails', SLOW, () => {
  it('is not said to be full while there is room on it', async () => {
    const script = `
      const { lone } = await import(${JSON.stringify(new URL('../suite/build.suite.ts', import.meta.url).href)});
      const params = JSON.stringify('x'.repeat(20_000));
      for (let index = 0; ; index++) {
        const write = { kind: 'submit', runs: [lone('t' + index, { params })] };
        const refused = await store.commit({ writes: [write], claim: null }).then(() => null, (error) => error);
        if (refused !== null) { say(JSON.stringify({ ...refused, message: refused.message })); break; }
      }
      process.exit();`;
    const path = temporaryPath();
    expect(JSON.parse(await childWithStore(path, script, '4000').line())).toEqual({
      name: 'GleitzeitError',
      code: 'GLZ3001',
      message: `the disk reports an error with the store ${path}`,
      details: { reason: 'disk I/O error', hint: expect.stringMatching(/quota/) },
    });
  });

  it.each([
    ['read', 1],
    ['write', 3],
    ['fsync', 4],
    ['truncate', 6],
    ['size of the shared memory', 19],
  ])('is told as such, with what was tried: %s', (_, more) => {
    const thrown = Object.assign(new Error('disk I/O error'), { errcode: (more << 8) | 10 });
    expect(storeError(thrown, temporaryPath())).toMatchObject({ code: 'GLZ3001', cause: thrown });
  });

  it('is full when the system says so elsewhere than in a plain write', ({ skip }) => {
    const disk = smallDisk();
    if (disk === null) return skip();
    fill(join(disk, 'filler'));
    const thrown = Object.assign(new Error('disk I/O error'), { errcode: (19 << 8) | 10 });
    expect(storeError(thrown, join(disk, 'store.db')).code).toBe('GLZ3003');
  });
});

describe('what cannot be written', SLOW, () => {
  it('is said when the folder is read-only', async ({ skip }) => {
    if (process.getuid?.() === 0) return skip();
    const folder = dirname(temporaryPath());
    chmodSync(folder, 0o500);
    expect((await refusal(openAt(join(folder, 'store.db')))).code).toBe('GLZ3004');
  });

  it('is said when the disk is read-only, with a store on it or without', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === null) return skip();
    await (await openAt(join(disk, 'store.db'))).close();
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const error = await refusal(openAt(join(disk, 'store.db')));
    expect(error.code).toBe('GLZ3004');
    expect(error.message).toContain(join(disk, 'store.db'));
    expect((await refusal(openAt(join(disk, 'new', 'store.db')))).code).toBe('GLZ3004');
  });

  it('is said when the path is a folder', async () => {
    const path = temporaryPath();
    mkdirSync(path);
    expect((await refusal(openAt(path))).code).toBe('GLZ3001');
  });
});

describe('a damaged file', SLOW, () => {
  it('is told apart from a store', async () => {
    const path = temporaryPath();
    writeFileSync(path, 'this is a letter to my aunt\n'.repeat(500));
    const error = await refusal(openAt(path));
    expect(error.code).toBe('GLZ3005');
    expect(error.message).toContain(path);
    expect(readFileSync(path, 'utf8')).toContain('my aunt');
  });

  it('is noticed when what is asked for lies there, and answered with an error', async () => {
    const path = temporaryPath();
    const store = await openAt(path);
    const ids = Array.from({ length: 500 }, (_, index) => `t${index}`);
    await store.commit({ writes: ids.map(submit), claim: null });
    await store.close();
    const file = openSync(path, 'r+');
    const pages = Math.floor(readFileSync(path).length / 4096);
    for (let page = 40; page < pages; page++) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
    closeSync(file);
    const everything = async () => {
      const damaged = await openAt(path);
      await allTasks(damaged.reads);
      for (const id of ids) await damaged.reads.task(id);
    };
    expect((await refusal(everything())).code).toBe('GLZ3005');
  });
});

describe('the database of another program', SLOW, () => {
  it('is refused and left as it is', async () => {
    const path = temporaryPath();
    const foreign = new DatabaseSync(path);
    foreign.exec('CREATE TABLE customers (name TEXT)');
    foreign.close();
    const before = readFileSync(path);
    expect((await refusal(openAt(path))).code).toBe('GLZ3006');
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

describe('a commit that cannot be undone', SLOW, () => {
  it('leaves a connection that is not used any more', () => {
    const path = temporaryPath();
    const held = new HeldStore({ path, wallOffset: 0, standing: null, fresh: true, address: null });
    onTestFinished(() => held.abandon());
    held.commit([{ writes: [submit('t1')], claim: null }]);
    const { exec } = DatabaseSync.prototype;
    const failing = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
      this: DatabaseSync,
      sql,
    ) {
      if (sql === 'COMMIT' || sql === 'ROLLBACK') throw new Error(`no ${sql}`);
      return exec.call(this, sql);
    });
    expect(() => held.commit([{ writes: [submit('t2')], claim: null }])).toThrow('no COMMIT');
    failing.mockRestore();
    expect(held.lost).toBe(true);
    held.abandon();
    const next = new HeldStore({ path, wallOffset: 0, standing: null, fresh: false, address: 'here' });
    onTestFinished(() => next.abandon());
    expect(readHolder(path)?.address).toBe('here');
    const [answer] = next.commit([{ writes: [submit('t2')], claim: null }]);
    expect(answer?.verdicts.map(({ ok }) => ok)).toEqual([true]);
  });
});
