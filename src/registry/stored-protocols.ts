import { canonicalJson } from '../core/canonical.ts';
import type { DocumentRow } from '../core/changes.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import { refuseCircle } from '../core/lineage.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { type ProtocolDefinition, parseProtocol } from '../core/protocol.ts';
import { type Documents, everyDocument } from './documents.ts';
import { createProtocols, type Protocols } from './protocols.ts';

/** Protocols that were registered while the program runs: kept in the store, and taken up by every engine on it. */
export interface StoredProtocols {
  /** Takes up what is stored. Rejects where the store cannot be read. */
  load(): Promise<void>;
  /** Others may have registered something: looks now, and again in a while where the store cannot be read. */
  refresh(): void;
  /**
   * Adds a protocol, here and everywhere, for good. The same again is no error. Another one of the same name is refused
   * (GLZ1011) unless it is to `replace` the first: tasks that were accepted under that go on under the new one, which
   * may find their params or results wrong. Not for what the program's own configuration defines.
   */
  register(definition: unknown, options?: { readonly replace?: boolean }): Promise<ProtocolDefinition>;
  /**
   * The program's own protocol of this name is gone: the one that is stored under it counts again. False where there is
   * none.
   */
  reinstate(name: string): boolean;
  get(name: string): ProtocolDefinition | undefined;
  list(): readonly ProtocolDefinition[];
  close(): void;
}

export type StoredProtocolParts = {
  readonly protocols: Protocols;
  readonly documents: Documents;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether the program brings this protocol itself: then that one counts, whatever is stored. */
  readonly isOwn: (name: string) => boolean;
};

type Stored = { readonly version: number; readonly definition: ProtocolDefinition };

const COLLECTION = 'protocol';
const UNREADABLE_MS = 1000;

export function createStoredProtocols(parts: StoredProtocolParts): StoredProtocols {
  return new Keeper(parts);
}

class Keeper implements StoredProtocols {
  readonly #parts: StoredProtocolParts;
  readonly #stored = new Map<string, Stored>();
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #closed = false;
  #cancelLook: () => void = () => {};

  constructor(parts: StoredProtocolParts) {
    this.#parts = parts;
  }

  get(name: string): ProtocolDefinition | undefined {
    return this.#parts.protocols.get(name);
  }

  list(): readonly ProtocolDefinition[] {
    return this.#parts.protocols.list();
  }

  async load(): Promise<void> {
    let changed = false;
    for await (const row of everyDocument(this.#parts.documents, COLLECTION))
      changed = this.#take(row) || changed;
    if (changed) this.#registerAll();
  }

  refresh(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  async register(given: unknown, { replace = false } = {}): Promise<ProtocolDefinition> {
    const definition = parseProtocol(given);
    const { name } = definition;
    this.#check(definition);
    const known = this.#parts.protocols.get(name);
    const stored = this.#stored.get(name)?.definition ?? known;
    if (stored !== undefined && isSame(stored, definition)) return known ?? definition;
    if (this.#parts.isOwn(name)) throw ofTheProgram(name);
    if (known !== undefined && !replace) throw taken(name);
    const text = JSON.stringify(toJson(given, 'GLZ1008', ''));
    const expect = this.#stored.get(name)?.version ?? 0;
    const { version } = await this.#parts.documents.put({ collection: COLLECTION, key: name, text, expect });
    if (version > (this.#stored.get(name)?.version ?? 0)) this.#stored.set(name, { version, definition });
    this.#registerAll();
    return this.#parts.protocols.get(name) ?? definition;
  }

  reinstate(name: string): boolean {
    const stored = this.#stored.get(name);
    if (stored !== undefined) this.#parts.protocols.register(stored.definition, { compile: 'on_use' });
    return stored !== undefined;
  }

  close(): void {
    this.#closed = true;
    this.#cancelLook();
  }

  async #look(): Promise<void> {
    while (this.#lookAgain && !this.#closed) {
      this.#lookAgain = false;
      try {
        await this.load();
      } catch (thrown) {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('protocols could not be read from the store; tried again', {
          error: message,
        });
        this.#cancelLook();
        this.#cancelLook = this.#parts.timers.after(UNREADABLE_MS, () => this.refresh());
      }
    }
  }

  /** Whether it is new, or newer than what is known. */
  #take({ key, text, version }: DocumentRow): boolean {
    if (version <= (this.#stored.get(key)?.version ?? 0)) return false;
    try {
      this.#stored.set(key, { version, definition: parseProtocol(JSON.parse(text)) });
      return true;
    } catch (thrown) {
      const { message } = GleitzeitError.from(thrown);
      this.#parts.logger.error('a stored protocol cannot be read', { protocol: key, error: message });
      return false;
    }
  }

  /** With schemas and examples, before anybody hears of it. */
  #check(definition: ProtocolDefinition): void {
    refuseCircle(definition, (name) =>
      name === definition.name ? definition : this.#parts.protocols.get(name),
    );
    const trial = createProtocols();
    const base = definition.extends === null ? undefined : this.#parts.protocols.get(definition.extends);
    if (base !== undefined) trial.register(base, { compile: 'on_use' });
    trial.register(definition);
  }

  #registerAll(): void {
    // Checked by whoever registered it.
    for (const [name, { definition }] of this.#stored)
      if (!this.#parts.isOwn(name)) this.#parts.protocols.register(definition, { compile: 'on_use' });
  }
}

function isSame(a: ProtocolDefinition, b: ProtocolDefinition): boolean {
  const text = (definition: ProtocolDefinition) =>
    canonicalJson(JSON.parse(JSON.stringify(definition)) as Json);
  return text(a) === text(b);
}

function taken(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `the protocol "${name}" is registered already, and differently`, {
    field: '/name',
    reason: 'tasks that use it count on it',
    hint: 'give the changed protocol a new version in its name, or say replace: true',
  });
}

function ofTheProgram(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `the protocol "${name}" is defined by the configuration`, {
    field: '/name',
    hint: 'change it there, or give the new one another version in its name',
  });
}
