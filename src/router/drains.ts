import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SharedState } from './shared-state.ts';

export type DrainsParts = {
  readonly state: SharedState;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Exactly these are drained from now on; `resumed`: these somebody has resumed since the last time, drained or not. */
  readonly apply: (ids: ReadonlySet<string>, resumed: ReadonlySet<string>) => void;
};

const NAME = 'drained';
const UNREADABLE_MS = 1000;
const MOST_TRIES = 20;

/** Which providers are drained: kept in the store, so that all engines hold to it and a restart forgets nothing. */
export class Drains {
  readonly #parts: DrainsParts;
  #version = -1;
  #resumed: Resumed = new Map();
  #stopped = false;
  #cancelLook: () => void = () => {};

  constructor(parts: DrainsParts) {
    this.#parts = parts;
  }

  add(id: string): Promise<void> {
    return this.#change(({ ids, resumed }) => ({ ids: new Set(ids).add(id), resumed }));
  }

  /** Told to all engines also where it is not drained: each of them may leave it alone for reasons of its own. */
  resume(id: string): Promise<void> {
    return this.#change(({ ids, resumed }) => ({
      ids: new Set([...ids].filter((other) => other !== id)),
      resumed: new Map(resumed).set(id, (resumed.get(id) ?? 0) + 1),
    }));
  }

  remove(gone: readonly string[]): Promise<void> {
    return this.#change((before) => only(before, (id) => !gone.includes(id)));
  }

  /** Whatever else is drained belongs to nobody any more. */
  keepOnly(known: readonly string[]): Promise<void> {
    return this.#change((before) => only(before, (id) => known.includes(id)));
  }

  /** Somebody may have changed it. */
  async look(): Promise<void> {
    try {
      this.#learn(await this.#read());
    } catch (thrown) {
      if (this.#stopped) return;
      const { message } = GleitzeitError.from(thrown);
      this.#parts.logger.warn('which providers are drained could not be read', { error: message });
      this.#cancelLook();
      this.#cancelLook = this.#parts.timers.after(UNREADABLE_MS, () => void this.look());
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook();
  }

  async #change(next: (before: Written) => Written): Promise<void> {
    for (let tries = 1; ; tries++) {
      const before = await this.#read();
      const after = next(before);
      const text = textOf(after);
      if (text === textOf(before)) return this.#learn(before);
      try {
        const { version } = await this.#parts.state.write(NAME, text, before.version);
        return this.#learn({ ...after, version });
      } catch (thrown) {
        // Somebody else was quicker.
        if (GleitzeitError.from(thrown).code !== 'GLZ1013' || tries === MOST_TRIES) throw thrown;
      }
    }
  }

  /** What was read before something newer was learned no longer counts. */
  #learn({ ids, resumed, version }: Known): void {
    if (version <= this.#version) return;
    const news = [...resumed].filter(([id, times]) => this.#resumed.get(id) !== times);
    this.#version = version;
    this.#resumed = resumed;
    this.#parts.apply(ids, new Set(news.map(([id]) => id)));
  }

  async #read(): Promise<Known> {
    const found = await this.#parts.state.read(NAME);
    if (found === null) return { ids: new Set(), resumed: new Map(), version: 0 };
    const told: unknown = JSON.parse(found.text);
    const parts: readonly unknown[] = Array.isArray(told) ? told : [];
    const ids = parts.filter((part) => typeof part === 'string');
    return { ids: new Set(ids), resumed: new Map(parts.flatMap(resumedIn)), version: found.version };
  }
}

/** Provider → how often it was resumed. */
type Resumed = ReadonlyMap<string, number>;
type Written = { readonly ids: ReadonlySet<string>; readonly resumed: Resumed };
type Known = Written & { readonly version: number };

function only({ ids, resumed }: Written, isKept: (id: string) => boolean): Written {
  return {
    ids: new Set([...ids].filter(isKept)),
    resumed: new Map([...resumed].filter(([id]) => isKept(id))),
  };
}

/** `["drained","too",{"resumed":{"other":2}}]` */
function textOf({ ids, resumed }: Written): string {
  const counts = resumed.size === 0 ? [] : [{ resumed: Object.fromEntries(resumed) }];
  return JSON.stringify([...[...ids].sort(), ...counts]);
}

function resumedIn(part: unknown): [string, number][] {
  const counts = isObject(part) ? own(part, 'resumed') : undefined;
  if (!isObject(counts)) return [];
  return Object.entries(counts).flatMap(([id, times]) => (typeof times === 'number' ? [[id, times]] : []));
}
