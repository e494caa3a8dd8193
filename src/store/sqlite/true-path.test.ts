import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { truePath } from './true-path.ts';

const folder = truePath(mkdtempSync(join(tmpdir(), 'gleitzeit-path-')));
afterAll(() => rmSync(folder, { recursive: true }));

describe('where a store is', () => {
  it('is the same by whatever link it is named', () => {
    writeFileSync(join(folder, 'store.db'), '');
    symlinkSync(join(folder, 'store.db'), join(folder, 'link.db'));
    symlinkSync(folder, join(folder, 'again'));
    for (const name of ['store.db', 'link.db', 'again/store.db', 'again/link.db']) {
      expect(truePath(join(folder, name))).toBe(join(folder, 'store.db'));
    }
  });

  it('is known before it is made', () => {
    symlinkSync(folder, join(folder, 'other'));
    expect(truePath(join(folder, 'other', 'new.db'))).toBe(join(folder, 'new.db'));
    expect(truePath(join(folder, 'nowhere', 'new.db'))).toBe(join(folder, 'nowhere', 'new.db'));
  });
});
