import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SharedState } from './shared-state.ts';

/**
 * Until when something holds: by wall clock, which others and later lives know too. `ms`: how long it was when it was told, the
 * most that a clock that was set can make of it. `times`: how often it has been so, where that counts.
 */
export type Told = { readonly until: number; readonly ms: number; readonly times?: number };

/** What becomes of all that was told; made again where somebody else was quicker. */
export type Change = (told: Map<string, Told>) => void;

export type KeptTimesParts = {
  readonly state: SharedState;
  readonly logger: Logger;
  /** Of the document. */
  readonly name: string;
  /** Hears what is in the store now, also when it was written here. */
  readonly learned?: (told: ReadonlyMap<string, Told>) => void;
  readonly warnings: { readonly unread: string; readonly unwritten: string };
};

type Known = { readonly told: ReadonlyMap<string, Told>; readonly version: number };

const MOST_TRIES = 20;

/** Times by name, in one document of the store: whatever is told while it is written goes into the next writing together. */
export class KeptTimes {
  readonly #parts: KeptTimesParts;
  #known: Known = { told: new Map(), version: -1 };
  #changes: Change[] = [];
  #hoped = new Map<string, Told>();
  #writing: Promise<void> | null = null;

  constructor(parts: KeptTimesParts) {
    this.#parts = parts;
  }

  /** As the store will have it once everything is written, as far as is known here. */
  get told(): ReadonlyMap<string, Told> {
    return this.#hoped;
  }

  change(change: Change): void {
    this.#changes.push(change);
    change(this.#hoped);
    this.again();
  }

  /** The store takes writes: what could not be written before is. */
  again(): void {
    if (this.#changes.length === 0) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async look(): Promise<void> {
    try {
      this.#learn(await this.#read());
    } catch (thrown) {
      this.#warn(this.#parts.warnings.unread, thrown);
    }
  }

  /** Resolves when what is known here is written, or could not be. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    for (let tries = 1; this.#changes.length > 0; tries++) {
      try {
        const before = await this.#read();
        const made = [...this.#changes];
        const after = await this.#made(before, made);
        this.#changes = this.#changes.slice(made.length);
        this.#learn(after);
      } catch (thrown) {
        const { code } = GleitzeitError.from(thrown);
        if (code === 'GLZ1013' && tries < MOST_TRIES) continue;
        this.#warn(this.#parts.warnings.unwritten, thrown);
        // A store that is away comes back; what it refuses it would refuse again.
        if (code.startsWith('GLZ30')) return;
        this.#changes = [];
      }
      this.#hope();
    }
  }

  async #made(before: Known, changes: readonly Change[]): Promise<Known> {
    const { state, name } = this.#parts;
    const told = new Map(before.told);
    for (const change of changes) change(told);
    const text = textOf(told);
    if (text === textOf(before.told)) return before;
    const { version } = await state.write(name, text, before.version);
    return { told, version };
  }

  #learn(known: Known): void {
    if (known.version <= this.#known.version) return;
    this.#known = known;
    this.#hope();
    this.#parts.learned?.(known.told);
  }

  #hope(): void {
    this.#hoped = new Map(this.#known.told);
    for (const change of this.#changes) change(this.#hoped);
  }

  async #read(): Promise<Known> {
    const found = await this.#parts.state.read(this.#parts.name);
    if (found === null) return { told: new Map(), version: 0 };
    const written: unknown = JSON.parse(found.text);
    const entries = isObject(written) ? Object.entries(written) : [];
    return { told: new Map(entries.flatMap(toldIn)), version: found.version };
  }

  #warn(message: string, thrown: unknown): void {
    this.#parts.logger.warn(message, { error: GleitzeitError.from(thrown).message });
  }
}

/** `{"search-1": {"until": 1790000000000, "ms": 60000}}` */
function textOf(told: ReadonlyMap<string, Told>): string {
  return JSON.stringify(Object.fromEntries(told));
}

function toldIn([id, value]: [string, unknown]): [string, Told][] {
  if (!isObject(value)) return [];
  const [until, ms, times] = [own(value, 'until'), own(value, 'ms'), own(value, 'times')];
  if (typeof until !== 'number' || typeof ms !== 'number') return [];
  return [[id, typeof times === 'number' ? { until, ms, times } : { until, ms }]];
}
