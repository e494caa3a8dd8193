import type { AgentEntry, AgentRow, AgentSettings } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { KnownAgents } from '../core/ports/agents.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { AnswerTo, WriteOf } from '../core/writes.ts';
import { parseAgent } from './agent-definition.ts';
import { entryOf, isOutdated, maskAgent, rowOf, sealAgent, settingsOf } from './agent-record.ts';
import { alreadyThere, ofTheProgram, unknownAgent } from './agent-trouble.ts';

/** Agents by name: those of the program's own configuration, and those that were registered while it runs. */
export interface Agents extends KnownAgents {
  /** Takes up what is stored. Rejects where the store cannot be read. */
  load(): Promise<void>;
  /** Others may have registered something: looks now, and again in a while where the store cannot be read. */
  refresh(): void;
  /** All of them by name. Those of the configuration win over those of the store. */
  list(): readonly AgentEntry[];
  /** Adds an agent, here and everywhere, for good. GLZ1012 for what is wrong with it, GLZ1011 for a name that is taken. */
  create(given: unknown): Promise<AgentEntry>;
  /**
   * What is given replaces what was said before, key by key; null stands for the default, and `***` for the secret that is
   * there. `expect`: the version it must have now (GLZ1013).
   */
  update(
    name: string,
    change: unknown,
    options?: { readonly expect?: number | undefined },
  ): Promise<AgentEntry>;
  /** GLZ1010 where there is none, GLZ1011 for one of the configuration. */
  remove(name: string): Promise<void>;
  /** Secrets that were sealed by a key which has been replaced are sealed by the new one. */
  reseal(): Promise<void>;
  /** The configuration of the program is another one. */
  configured(): void;
  /** Calls after each change; returns the way to stop it. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export type AgentParts = {
  readonly reads: Pick<StoreReads, 'agent' | 'agents'>;
  readonly write: <Kind extends 'put_agent' | 'delete_agent'>(
    write: WriteOf<Kind>,
  ) => Promise<AnswerTo<Kind>>;
  readonly cipher: Cipher;
  readonly newId: () => string;
  /** Those of the program's own configuration, with ids. */
  readonly own: () => readonly AgentEntry[];
  /** What only whoever opens connections can find wrong. */
  readonly check: (entry: AgentSettings) => void;
  readonly timers: Timers;
  readonly logger: Logger;
};

const PAGE = 200;
const UNREADABLE_MS = 1000;
/** Others may write at the same time. */
const MOST_TRIES = 20;

export function createAgents(parts: AgentParts): Agents {
  return new Registry(parts);
}

class Registry implements Agents {
  readonly #parts: AgentParts;
  readonly #listeners = new Set<() => void>();
  #rows: ReadonlyMap<string, AgentRow> = new Map();
  #entries: ReadonlyMap<string, AgentEntry> = new Map();
  /** How often something was written from here: what was read meanwhile may be older. */
  #written = 0;
  /** Changes from here come one after the other, or each would find that another was quicker. */
  #lastChange: Promise<unknown> = Promise.resolve();
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #closed = false;
  #cancelLook: () => void = () => {};

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#combine();
  }

  get(name: string): AgentEntry | undefined {
    return this.#entries.get(name);
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  list(): readonly AgentEntry[] {
    return [...this.#entries.values()];
  }

  async find(name: string): Promise<AgentEntry | undefined> {
    if (!this.#entries.has(name) && (await this.#parts.reads.agent(name)) !== null) await this.load();
    return this.#entries.get(name);
  }

  async load(): Promise<void> {
    for (;;) {
      const before = this.#written;
      const rows = await this.#readAll();
      if (before === this.#written) return this.#take(rows);
    }
  }

  refresh(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  async create(given: unknown): Promise<AgentEntry> {
    const settings = this.#checked(given);
    const { name } = settings;
    if (this.#isOwn(name)) throw ofTheProgram(name);
    const sealed = sealAgent(this.#parts.cipher, settings, null);
    try {
      return await this.#put(this.#parts.newId(), sealed, 0);
    } catch (thrown) {
      throw GleitzeitError.from(thrown).code === 'GLZ1013' ? alreadyThere(name) : thrown;
    }
  }

  update(
    name: string,
    change: unknown,
    { expect }: { readonly expect?: number | undefined } = {},
  ): Promise<AgentEntry> {
    const changed = this.#lastChange.then(() => this.#change(name, change, expect));
    this.#lastChange = changed.catch(() => {});
    return changed;
  }

  async remove(name: string): Promise<void> {
    if (this.#isOwn(name)) throw ofTheProgram(name);
    const { deleted } = await this.#parts.write({ kind: 'delete_agent', name, expect: null });
    this.#written++;
    const rows = new Map(this.#rows);
    rows.delete(name);
    this.#take(rows);
    if (!deleted) throw unknownAgent(name, this.names());
  }

  async reseal(): Promise<void> {
    const { cipher, logger } = this.#parts;
    for (const row of this.#rows.values()) {
      try {
        if (!isOutdated(cipher, row)) continue;
        const entry = entryOf(row);
        await this.#put(row.id, sealAgent(cipher, settingsOf(entry), entry), row.version);
        logger.info('the secrets of an agent were sealed by the new key', { agent: row.name });
      } catch (thrown) {
        // Another engine may have been quicker, or the key it needs is not there: then it says so when it is called.
        const { code, message } = GleitzeitError.from(thrown);
        if (code !== 'GLZ1013')
          logger.error('the secrets of an agent could not be sealed anew', {
            agent: row.name,
            error: message,
          });
      }
    }
  }

  configured(): void {
    this.#combine();
    this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#cancelLook();
  }

  #isOwn(name: string): boolean {
    return this.#parts.own().some((entry) => entry.name === name);
  }

  #checked(given: unknown): AgentSettings {
    const settings = parseAgent(given);
    this.#parts.check(settings);
    return settings;
  }

  /** As the store has it now. */
  async #stored(name: string): Promise<AgentEntry> {
    if (this.#isOwn(name)) throw ofTheProgram(name);
    const row = await this.#parts.reads.agent(name);
    if (row === null) throw unknownAgent(name, this.names());
    return entryOf(row);
  }

  async #change(name: string, change: unknown, expect: number | undefined): Promise<AgentEntry> {
    for (let tries = 1; ; tries++) {
      const before = await this.#stored(name);
      const settings = this.#checked(merged(before, change));
      const sealed = sealAgent(this.#parts.cipher, settings, before);
      try {
        return await this.#put(before.id, sealed, expect ?? before.version);
      } catch (thrown) {
        const raced = GleitzeitError.from(thrown).code === 'GLZ1013' && expect === undefined;
        if (!raced || tries === MOST_TRIES) throw thrown;
      }
    }
  }

  async #put(id: string, settings: AgentSettings, expect: number): Promise<AgentEntry> {
    const agent = rowOf(id, settings);
    const told = await this.#parts.write({ kind: 'put_agent', agent, expect });
    this.#written++;
    const row: AgentRow = { ...agent, ...told };
    this.#take(new Map(this.#rows).set(row.name, row));
    return entryOf(row);
  }

  async #readAll(): Promise<Map<string, AgentRow>> {
    const rows = new Map<string, AgentRow>();
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const from = cursor === undefined ? {} : { cursor };
      const page = await this.#parts.reads.agents({ limit: PAGE, ...from });
      for (const row of page.items) rows.set(row.name, row);
      cursor = page.next_cursor;
    }
    return rows;
  }

  #take(rows: ReadonlyMap<string, AgentRow>): void {
    const before = this.#rows;
    const isKnown = ({ name, id, version }: AgentRow) => {
      const known = before.get(name);
      return known?.id === id && known.version === version;
    };
    if (rows.size === before.size && [...rows.values()].every(isKnown)) return;
    this.#rows = rows;
    this.#combine();
    this.#tell();
  }

  #combine(): void {
    const entries = new Map<string, AgentEntry>();
    for (const row of this.#rows.values()) {
      try {
        entries.set(row.name, entryOf(row));
      } catch (thrown) {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.error('a stored agent cannot be read', { agent: row.name, error: message });
      }
    }
    for (const entry of this.#parts.own()) entries.set(entry.name, entry);
    this.#entries = new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #look(): Promise<void> {
    while (this.#lookAgain && !this.#closed) {
      this.#lookAgain = false;
      try {
        await this.load();
      } catch (thrown) {
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('agents could not be read from the store; tried again', { error: message });
        this.#cancelLook();
        this.#cancelLook = this.#parts.timers.after(UNREADABLE_MS, () => this.refresh());
      }
    }
  }
}

/** The change over what is there; what was secret is named by `***`, so that it is read like what people write. */
function merged(before: AgentEntry, change: unknown): unknown {
  if (!isObject(change)) return change;
  const { name, ...rest } = maskAgent(settingsOf(before));
  return { ...rest, ...change, name };
}
