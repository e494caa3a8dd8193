import type { DatabaseSync } from 'node:sqlite';
import type { EngineRow } from '../../core/changes.ts';
import { prepare, type Query } from './connection.ts';

type Entry = { readonly e: number; readonly alive_until: number | null };

/** The engines, and the numbers that stand for their names in the tasks they hold. */
export class EngineBook {
  readonly #entries = new Map<string, Entry>();
  readonly #names = new Map<number, string>();
  readonly #all: Query;
  readonly #save: Query;

  constructor(db: DatabaseSync) {
    this.#all = prepare(db, 'SELECT e, owner, alive_until FROM engine ORDER BY e');
    this.#save = prepare(
      db,
      `INSERT INTO engine (e, owner, alive_until) VALUES (?, ?, ?)
       ON CONFLICT (e) DO UPDATE SET alive_until = excluded.alive_until`,
    );
    this.load();
  }

  load(): void {
    this.#entries.clear();
    this.#names.clear();
    for (const [e, owner, alive_until] of this.#all.all() as [number, string, number | null][]) {
      this.#entries.set(owner, { e, alive_until });
      this.#names.set(e, owner);
    }
  }

  row(owner: string): EngineRow | null {
    const alive_until = this.#entries.get(owner)?.alive_until ?? null;
    return alive_until === null ? null : { owner, alive_until };
  }

  rows(): EngineRow[] {
    return [...this.#entries.keys()].map((owner) => this.row(owner)).filter((row) => row !== null);
  }

  put({ owner, alive_until }: EngineRow): void {
    this.#put(owner, alive_until);
  }

  /** Its number stays, because tasks may name it. */
  remove(owner: string): void {
    if (this.#entries.has(owner)) this.#put(owner, null);
  }

  #put(owner: string, alive_until: number | null): void {
    const e = this.#entries.get(owner)?.e ?? Math.max(0, ...this.#names.keys()) + 1;
    this.#entries.set(owner, { e, alive_until });
    this.#names.set(e, owner);
    this.#save.run(e, owner, alive_until);
  }

  /** The number of an engine that was ever known, gone or not. */
  numberOf(owner: string): number | null {
    return this.#entries.get(owner)?.e ?? null;
  }

  /** The numbers of engines that are gone, or whose time has run out. */
  lostNumbers(now: number): number[] {
    const lost = [...this.#entries.values()].filter(
      ({ alive_until }) => alive_until === null || alive_until < now,
    );
    return lost.map(({ e }) => e);
  }

  readonly nameOf = (e: number): string => {
    const known = this.#names.get(e);
    if (known !== undefined) return known;
    // Another connection added it since.
    this.load();
    return this.#names.get(e) ?? `engine ${e}`;
  };
}
