import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { GleitzeitError } from '../../core/errors.ts';
import type { Client } from '../../sdk/index.ts';
import { ourError } from '../connect-errors.ts';
import { errorText } from '../errors.ts';
import { compareFiles } from './files.ts';
import { listFiles, type WatchedFolder, type WatchedPlaces } from './folders.ts';
import { Listings } from './listings.ts';

export type DefinerParts = {
  readonly client: Pick<Client, 'call'>;
  readonly places: WatchedPlaces;
  readonly cwd: string;
  /** Reads a file and tells which folders it lists; what it throws says where the mistake is. */
  readonly read: (
    file: string,
    lists: (folder: WatchedFolder) => void,
  ) => Promise<{ readonly workflow: object; readonly name: string }>;
  readonly say: (text: string) => void;
  /** For what may hold colours. */
  readonly write: (text: string) => void;
  readonly colour: boolean;
};

/** Keeps what a server knows by name the same as the files: one look at a time, each file only when it has changed. */
export class Definer {
  readonly #parts: DefinerParts;
  #known: ReadonlyMap<string, string> = new Map();
  /** File → what was last said to be wrong with it. */
  readonly #wrong = new Map<string, string>();
  /** File → the name it defines. */
  readonly #names = new Map<string, string>();
  readonly #listings = new Listings();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: DefinerParts) {
    this.#parts = parts;
  }

  look(): Promise<void> {
    this.#last = this.#last.then(() => this.#look());
    return this.#last;
  }

  /** Those that files list, and that their definitions therefore depend on. */
  get folders(): readonly WatchedFolder[] {
    return this.#listings.folders;
  }

  async #look(): Promise<void> {
    const now = new Map(listFiles(this.#parts.places).flatMap((file) => withHash(file)));
    const { changed, removed } = compareFiles(this.#known, now);
    this.#known = now;
    for (const file of removed) this.#gone(file);
    // One that was wrong may be right by now, because the configuration has changed.
    const again = [...now.keys()].filter((file) => this.#wrong.has(file) || this.#listings.changed(file));
    const second: string[] = [];
    for (const file of new Set([...changed, ...again])) {
      if ((await this.#define(file, 'first')) === 'later') second.push(file);
    }
    // The name that another file had may be free by now.
    for (const file of second) await this.#define(file, 'second');
  }

  #gone(file: string): void {
    this.#wrong.delete(file);
    this.#listings.forget(file);
    const name = this.#names.get(file);
    if (name === undefined) return;
    this.#names.delete(file);
    this.#parts.say(`${this.#shown(file)} is gone; "${name}" stays defined`);
  }

  async #define(file: string, time: 'first' | 'second'): Promise<'done' | 'later'> {
    const { client, read, say } = this.#parts;
    try {
      const lists = this.#listings.begin(file);
      const { workflow, name: wanted } = await read(file, lists);
      const other = this.#definedBy(wanted, file);
      if (other !== undefined && time === 'first') return 'later';
      if (other !== undefined) this.#refuse(file, `: ${this.#shown(other)} defines "${wanted}" already`);
      if (other !== undefined) return 'done';
      const { name, version, created } = await client.call('workflow.define', {
        workflow: workflow as never,
      });
      const known = this.#names.get(file) === name && !this.#wrong.has(file);
      this.#wrong.delete(file);
      this.#names.set(file, name);
      if (created || !known) say(`${this.#shown(file)}: "${name}" is version ${version}`);
    } catch (thrown) {
      this.#tell(file, ourError(thrown));
    }
    return 'done';
  }

  #definedBy(name: string, file: string): string | undefined {
    return [...this.#names].find(([other, defined]) => other !== file && defined === name)?.[0];
  }

  #tell(file: string, error: GleitzeitError): void {
    const kept = this.#names.has(file) ? '; the version before stays' : '';
    this.#refuse(file, kept, errorText(error, this.#parts.colour));
  }

  /** Said once, however often it is looked at. */
  #refuse(file: string, why: string, more = ''): void {
    if (this.#wrong.get(file) === why + more) return;
    this.#wrong.set(file, why + more);
    this.#parts.say(`${this.#shown(file)} is not taken${why}`);
    this.#parts.write(more);
  }

  #shown(file: string): string {
    return relative(this.#parts.cwd, file);
  }
}

function withHash(file: string): [string, string][] {
  try {
    return [[file, createHash('sha256').update(readFileSync(file)).digest('hex')]];
  } catch {
    return [];
  }
}
