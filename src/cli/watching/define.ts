import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { GleitzeitError } from '../../core/errors.ts';
import type { Client } from '../../sdk/index.ts';
import { ourError } from '../connect-errors.ts';
import { errorText } from '../errors.ts';
import { compareFiles } from './files.ts';
import { listFiles, type WatchedPlaces } from './folders.ts';

export type DefinerParts = {
  readonly client: Pick<Client, 'call'>;
  readonly places: WatchedPlaces;
  readonly cwd: string;
  /** Reads a file; what it throws says where the mistake is. */
  readonly read: (file: string) => Promise<{ readonly workflow: object; readonly name: string }>;
  readonly say: (text: string) => void;
  readonly colour: boolean;
};

/** Keeps what a server knows by name the same as the files: one look at a time, each file only when it has changed. */
export class Definer {
  readonly #parts: DefinerParts;
  #known: ReadonlyMap<string, string> = new Map();
  /** File → what was last said to be wrong with it. */
  readonly #wrong = new Map<string, string>();
  readonly #names = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: DefinerParts) {
    this.#parts = parts;
  }

  look(): Promise<void> {
    this.#last = this.#last.then(() => this.#look());
    return this.#last;
  }

  async #look(): Promise<void> {
    const now = new Map(listFiles(this.#parts.places).flatMap((file) => withHash(file)));
    const { changed, removed } = compareFiles(this.#known, now);
    this.#known = now;
    for (const file of removed) this.#gone(file);
    // One that was wrong may be right by now, because the configuration has changed.
    const again = [...this.#wrong.keys()].filter((file) => now.has(file) && !changed.includes(file));
    for (const file of [...changed, ...again]) await this.#define(file);
  }

  #gone(file: string): void {
    this.#wrong.delete(file);
    const name = this.#names.get(file);
    if (name === undefined) return;
    this.#names.delete(file);
    this.#parts.say(`${this.#shown(file)} is gone; "${name}" stays defined`);
  }

  async #define(file: string): Promise<void> {
    const { client, read, say } = this.#parts;
    try {
      const { workflow } = await read(file);
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
  }

  /** Said once, however often it is looked at. */
  #tell(file: string, error: GleitzeitError): void {
    const text = errorText(error, this.#parts.colour).trimEnd();
    if (this.#wrong.get(file) === text) return;
    this.#wrong.set(file, text);
    const kept = this.#names.has(file) ? '; the version before stays' : '';
    this.#parts.say(`${this.#shown(file)} is not taken${kept}\n${text}`);
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
