import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { EPOCH, type Subject } from './subject.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const unused = { wall: () => EPOCH, monotonic: () => 0 };

export const sqliteSubject: Subject = {
  name: 'SQLite',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-differential-'));
    let path = join(folder, 'store0.db');
    let lives = 0;
    let now = EPOCH;
    const openIt = () => openSqliteStore({ path, clock: unused, logger: silent, standing: now });
    let store = await openIt();
    return {
      commit: (_, request) => store.commit(request),
      async commitWhenFull(_, request) {
        rename(path, 'event', 'event_away');
        return store.commit(request).finally(() => rename(path, 'event_away', 'event'));
      },
      reads: () => store.reads,
      async advance(ms) {
        now += ms;
        await store.advance(ms);
      },
      async reopen() {
        await store.close();
        store = await openIt();
      },
      /** What a kill leaves on the disk is what lies there while nothing is under way. */
      async crash() {
        const before = path;
        path = join(folder, `store${++lives}.db`);
        for (const part of ['', '-wal']) {
          if (existsSync(`${before}${part}`)) copyFileSync(`${before}${part}`, `${path}${part}`);
        }
        await store.close();
        store = await openIt();
      },
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

/** Without the table for events, which is written last, every commit fails half way through. */
function rename(path: string, from: string, to: string): void {
  const db = new DatabaseSync(path, { timeout: 5000 });
  try {
    db.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
  } finally {
    db.close();
  }
}
