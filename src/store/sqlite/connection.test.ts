import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-connection-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the connection that writes', () => {
  it('has every commit on the disk before it is answered', () => {
    const db = connect(join(folder, 'store.db'));
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    db.close();
  });
});
