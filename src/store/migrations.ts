import { readdirSync, readFileSync } from 'node:fs';
import { GleitzeitError } from '../core/errors.ts';
import { hashText } from './hash.ts';

export type Migration = {
  readonly version: number;
  readonly name: string;
  readonly up: string;
  readonly down: string;
  readonly checksum: string;
  /**
   * Programs that know this version go on with the store after it, and may be started on it again: its first lines say
   * `-- beside: 4`. Its own version where they say nothing: then everybody else has to stop first.
   */
  readonly beside: number;
};

export type AppliedMigration = { readonly version: number; readonly name: string; readonly checksum: string };

const BESIDE = /^-- beside: (\d{1,4})\n/m;
const FILE = /^(\d{4})_([a-z0-9_]+)\.(up|down)\.sql$/;

/** The numbered SQL files of one dialect, `0001_name.up.sql` and `0001_name.down.sql`, in order. */
export function loadMigrations(dialect: 'sqlite' | 'postgres'): Migration[] {
  const folder = new URL(`../../migrations/${dialect}/`, import.meta.url);
  const ups = readdirSync(folder).filter((file) => FILE.exec(file)?.[3] === 'up');
  return ups.sort().map((file) => {
    const [, version, name] = FILE.exec(file) ?? [];
    const up = readFileSync(new URL(file, folder), 'utf8');
    const down = readFileSync(new URL(file.replace('.up.sql', '.down.sql'), folder), 'utf8');
    const number = Number(version);
    const beside = Number(BESIDE.exec(up)?.[1] ?? number);
    // Who it may stand beside is said of a migration, and no part of it.
    const checksum = hashText(up.replace(BESIDE, ''));
    return { version: number, name: String(name), up, down, checksum, beside };
  });
}

/** Who may work on a store that has all of these: programs that know this version. */
export function oldestBeside(applied: readonly Pick<Migration, 'beside'>[]): number {
  return Math.max(0, ...applied.map(({ beside }) => beside));
}

/**
 * What is left to apply. Refuses a store made by other migrations than these, and one written by a newer version, unless
 * that has left word that programs of version `oldest` or later may stay.
 */
export function pendingMigrations(
  all: readonly Migration[],
  applied: readonly AppliedMigration[],
  oldest: number = Number.POSITIVE_INFINITY,
): Migration[] {
  const newest = all.at(-1)?.version ?? 0;
  for (const done of applied) {
    const known = all.find((migration) => migration.version === done.version);
    if (known === undefined && newest >= oldest) continue;
    if (known === undefined) {
      throw new GleitzeitError(
        'GLZ3007',
        `the store is at schema version ${done.version}, newer than this program`,
        {
          reason: `this program knows versions up to ${newest}`,
          hint: 'start the version of gleitzeit that wrote it, or a newer one',
        },
      );
    }
    if (known.checksum !== done.checksum) {
      throw new GleitzeitError(
        'GLZ3008',
        `migration ${done.version} (${done.name}) is not the one the store was made with`,
        {
          hint: 'restore the original migration file, or open the store with the program that made it',
        },
      );
    }
  }
  const versions = new Set(applied.map(({ version }) => version));
  return all.filter(({ version }) => !versions.has(version));
}
