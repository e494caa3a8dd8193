import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { hashText } from './hash.ts';
import { loadMigrations, type Migration, oldestBeside, pendingMigrations } from './migrations.ts';

function migration(version: number, beside = version): Migration {
  const up = `create table t${version} (a)`;
  return { version, name: `m${version}`, up, down: `drop table t${version}`, checksum: hashText(up), beside };
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
    for (const { version, name, up, down, checksum, beside } of loaded) {
      expect(beside).toBeGreaterThan(0);
      expect(beside).toBeLessThanOrEqual(version);
      expect(name).toMatch(/^[a-z0-9_]+$/);
      expect(up.trim()).not.toBe('');
      expect(down.trim()).not.toBe('');
      expect(checksum).toBe(hashText(up.replace(/^-- beside: \d+\n/m, '')));
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

  it('is nothing where the newer program left word that programs of this version may stay', () => {
    expect(pendingMigrations(all.slice(0, 2), all, 2)).toEqual([]);
    expect(pendingMigrations(all.slice(0, 2), all, 1)).toEqual([]);
    expect(refusal(() => pendingMigrations(all.slice(0, 2), all, 3)).code).toBe('GLZ3007');
    const other = { ...migration(2), checksum: hashText('something else') };
    expect(
      refusal(() => pendingMigrations(all.slice(0, 2), [migration(1), other, migration(3)], 1)).code,
    ).toBe('GLZ3008');
  });

  it('leaves those beside it whom none of the migrations shuts out', () => {
    expect(oldestBeside([])).toBe(0);
    expect(oldestBeside([migration(1), migration(2, 1), migration(3, 2)])).toBe(2);
    expect(oldestBeside([migration(1), migration(2), migration(3, 1)])).toBe(2);
  });

  it('is refused for a store that was made by another migration of the same number', () => {
    const other = { ...migration(2), checksum: hashText('something else') };
    const error = refusal(() => pendingMigrations(all, [migration(1), other]));
    expect(error).toMatchObject({ code: 'GLZ3008', message: expect.stringContaining('2 (m2)') });
  });
});
