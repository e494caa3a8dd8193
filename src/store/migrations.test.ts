import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { hashText } from './hash.ts';
import { loadMigrations, type Migration, pendingMigrations } from './migrations.ts';

function migration(version: number): Migration {
  const up = `create table t${version} (a)`;
  return { version, name: `m${version}`, up, down: `drop table t${version}`, checksum: hashText(up) };
}

const all = [migration(1), migration(2), migration(3)];

function refusal(make: () => unknown): GleitzeitError {
  try {
    make();
  } catch (thrown) {
    return GleitzeitError.from(thrown);
  }
  throw new Error('nothing was thrown');
}

describe.each(['sqlite', 'postgres'] as const)('the migrations of %s', (dialect) => {
  const loaded = loadMigrations(dialect);

  it('are numbered from 1 without gaps, each with a way back', () => {
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.map(({ version }) => version)).toEqual(loaded.map((_, index) => index + 1));
    for (const { name, up, down, checksum } of loaded) {
      expect(name).toMatch(/^[a-z0-9_]+$/);
      expect(up.trim()).not.toBe('');
      expect(down.trim()).not.toBe('');
      expect(checksum).toBe(hashText(up));
    }
  });
});

describe('what is left to apply', () => {
  it('is everything for a new store, the rest for an older one, nothing for a current one', () => {
    expect(pendingMigrations(all, [])).toEqual(all);
    expect(pendingMigrations(all, all.slice(0, 1))).toEqual(all.slice(1));
    expect(pendingMigrations(all, all)).toEqual([]);
  });

  it('is refused for a store that a newer program wrote', () => {
    const error = refusal(() => pendingMigrations(all.slice(0, 2), all));
    expect(error).toMatchObject({
      code: 'GLZ3007',
      message: expect.stringContaining('version 3'),
      details: { reason: 'this program knows versions up to 2', hint: expect.any(String) },
    });
    expect(refusal(() => pendingMigrations([], all)).details.reason).toContain('up to 0');
  });

  it('is refused for a store that was made by another migration of the same number', () => {
    const other = { ...migration(2), checksum: hashText('something else') };
    const error = refusal(() => pendingMigrations(all, [migration(1), other]));
    expect(error).toMatchObject({ code: 'GLZ3008', message: expect.stringContaining('2 (m2)') });
  });
});
