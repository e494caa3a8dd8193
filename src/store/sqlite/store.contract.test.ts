import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenStore, storeSuite } from '../store.suite.ts';
import { openSqliteStore } from './store.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function open(same_thread: boolean): Promise<OpenStore> {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-'));
  let advanced = 0;
  const clock = { wall: () => Date.now() + advanced, monotonic: () => performance.now() };
  const path = join(folder, 'store.db');
  const openIt = () => openSqliteStore({ path, clock, logger: silent, same_thread });
  let store = await openIt();
  return {
    store,
    advance: async (ms) => {
      advanced += ms;
      await store.advance(ms);
    },
    reopen: async () => {
      await store.close();
      store = await openIt();
      return store;
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

storeSuite('SQLite store', { open: () => open(false) });
storeSuite('SQLite store on the same thread', { open: () => open(true) });
