import {
  type Config,
  namedSecretFiles,
  namedTypeFiles,
  type WatchedFile,
  type WatchedSecret,
  watchConfig,
  watchSecret,
} from '../config.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';

export type WatchedFilesParts = {
  /** Has taken what the files say, as far as that can be taken, and has told what is in force by then. */
  readonly onChange: () => Promise<unknown>;
  readonly timers: Timers;
  readonly logger: Logger;
};

type InForce = Pick<Config, 'file' | 'hash' | 'type_files' | 'secrets'>;

/** The files that a configuration is made of, each watched for as long as it is one of them. */
export class WatchedFiles {
  readonly #parts: WatchedFilesParts;
  readonly #watched = new Map<string, WatchedFile>();
  /** What the configuration in force was read from: the hash of each file. */
  readonly #read = new Map<string, string>();
  readonly #secrets = new Map<string, WatchedSecret>();
  /** Files that have changed since the configuration was last read. */
  readonly #changed = new Set<string>();
  #busy = false;
  #closed = false;

  constructor(parts: WatchedFilesParts) {
    this.#parts = parts;
  }

  /**
   * `config` is in force. What its file names by now is watched too, also where that was not taken: it may be the file of
   * a type or a secret that is missing or broken.
   */
  async follow({ file, hash, type_files, secrets }: InForce): Promise<void> {
    const wanted = new Map(
      file === null ? [] : [{ file, hash }, ...type_files].map((one) => [one.file, one.hash]),
    );
    const held = heldBy(secrets);
    if (file !== null) {
      for (const named of await namedTypeFiles(file)) if (!wanted.has(named)) wanted.set(named, '');
      for (const named of await namedSecretFiles(file)) if (!held.has(named)) held.set(named, null);
    }
    if (this.#closed) return;
    closeOthers(this.#watched, wanted);
    closeOthers(this.#secrets, held);
    for (const [name, known] of wanted) {
      const onChange = () => this.#take(name);
      const watching =
        this.#watched.get(name) ?? watchConfig({ ...this.#parts, file: name, hash: known, onChange });
      this.#watched.set(name, watching);
      // What was refused leaves the one before in force: that is no reason to ask for another reload.
      if (known !== '' && known !== this.#read.get(name)) watching.knows(known);
      this.#read.set(name, known);
      if (watching.known() === known) this.#changed.delete(name);
    }
    for (const [name, inForce] of held) {
      const id = `secret ${name}`;
      const names = inForce?.names ?? [];
      const onChange = () => this.#take(id);
      const watching =
        this.#secrets.get(name) ?? watchSecret({ ...this.#parts, file: name, names, onChange });
      this.#secrets.set(name, watching);
      // All secrets of a folder change at once, and one reload takes them all.
      if (watching.inForce(names, inForce?.value ?? null)) this.#changed.delete(id);
    }
  }

  close(): void {
    this.#closed = true;
    closeOthers(this.#watched, new Map());
    closeOthers(this.#secrets, new Map());
  }

  /** One reload at a time; what changes meanwhile and was not read by it is read by the next one. */
  async #take(name: string): Promise<void> {
    this.#changed.add(name);
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#changed.size > 0 && !this.#closed) {
        this.#changed.clear();
        await this.#parts.onChange();
      }
    } finally {
      this.#busy = false;
    }
  }
}

type Held = { readonly names: readonly string[]; readonly value: string };

/** What secrets come from which file; several may come from one. */
function heldBy(secrets: Config['secrets']): Map<string, Held | null> {
  const held = new Map<string, Held | null>();
  for (const [name, secret] of Object.entries(secrets)) {
    if (secret.file === null) continue;
    const names = [...(held.get(secret.file)?.names ?? []), name];
    held.set(secret.file, { names, value: secret.reveal() });
  }
  return held;
}

function closeOthers(watched: Map<string, { close(): void }>, wanted: ReadonlyMap<string, unknown>): void {
  for (const [name, watching] of watched) {
    if (wanted.has(name)) continue;
    watching.close();
    watched.delete(name);
  }
}
