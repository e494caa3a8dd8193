import { type Config, namedTypeFiles, watchConfig } from '../config.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';

export type WatchedFilesParts = {
  readonly onChange: () => void;
  readonly timers: Timers;
  readonly logger: Logger;
};

/** The files that a configuration is made of, each watched for as long as it is one of them. */
export class WatchedFiles {
  readonly #parts: WatchedFilesParts;
  readonly #watched = new Map<string, { close(): void }>();
  #closed = false;

  constructor(parts: WatchedFilesParts) {
    this.#parts = parts;
  }

  /**
   * `config` is in force. What its file names by now is watched too, also where that was not taken: it may be the file of
   * a type that is missing or broken.
   */
  async follow({ file, hash, type_files }: Pick<Config, 'file' | 'hash' | 'type_files'>): Promise<void> {
    if (file === null) return;
    const wanted = new Map([{ file, hash }, ...type_files].map((one) => [one.file, one.hash]));
    for (const named of await namedTypeFiles(file)) if (!wanted.has(named)) wanted.set(named, '');
    if (this.#closed) return;
    for (const [watched, watching] of this.#watched) {
      if (wanted.has(watched)) continue;
      watching.close();
      this.#watched.delete(watched);
    }
    for (const [name, known] of wanted) {
      if (this.#watched.has(name)) continue;
      this.#watched.set(name, watchConfig({ ...this.#parts, file: name, hash: known }));
    }
  }

  close(): void {
    this.#closed = true;
    for (const watching of this.#watched.values()) watching.close();
    this.#watched.clear();
  }
}
