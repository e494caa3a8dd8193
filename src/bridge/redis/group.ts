import type { Connection, Reply } from './connection.ts';
import { type Entry, entriesOf, listOf, pairsOf } from './entries.ts';

/** The name under which messages stand that a member left behind when it stopped: whoever comes first takes them. */
const RELEASED = 'released';
/** What is released counts as untouched for so long; once taken, it does not. */
const RELEASED_IDLE = 24 * 60 * 60_000;
/** A name that was not heard of for so long will not be used again. */
export const LONG_GONE = 60 * 60_000;
const PAGE = 500;
/** After every id that is used; after the very last one nothing can be asked for. */
const END = '18446744073709551615-18446744073709551614';

/** The commands that one member of a group needs. */
export class Group {
  readonly #stream: string;
  readonly #group: string;
  readonly name: string;

  constructor(stream: string, group: string, name: string) {
    this.#stream = stream;
    this.#group = group;
    this.name = name;
  }

  /** From the oldest on; nothing happens where it exists. */
  async create(connection: Connection): Promise<void> {
    try {
      await connection.ask('XGROUP', 'CREATE', this.#stream, this.#group, '0', 'MKSTREAM');
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error;
    }
  }

  /** What nobody has got yet; waits for it. */
  async read(connection: Connection, most: number, wait_ms: number): Promise<Entry[]> {
    const limits = ['COUNT', most, 'BLOCK', wait_ms];
    return this.#read(
      await connection.ask(...this.#as('XREADGROUP'), ...limits, 'STREAMS', this.#stream, '>'),
    );
  }

  /** Shows that this member is alive. Waiting for something new does not: some servers look at the name only when it comes. */
  async touch(connection: Connection): Promise<void> {
    await connection.ask(...this.#as('XREADGROUP'), 'COUNT', 1, 'STREAMS', this.#stream, END);
  }

  /** What the server has given to this member and not heard of since. */
  async *mine(connection: Connection): AsyncGenerator<readonly Entry[]> {
    for (let after = '0'; ; ) {
      const question = [...this.#as('XREADGROUP'), 'COUNT', PAGE, 'STREAMS', this.#stream, after];
      const page = this.#read(await connection.ask(...question));
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.id;
    }
  }

  /** Takes over from members that were silent for too long, and what others have left behind. */
  async takeOver(connection: Connection, most: number, session_ms: number): Promise<Entry[]> {
    const taken: Entry[] = [];
    const members = await connection.ask('XINFO', 'CONSUMERS', this.#stream, this.#group);
    for (const member of listOf(members)) {
      const pairs = pairsOf(member);
      const [name, pending, idle] = [
        String(pairs.get('name')),
        Number(pairs.get('pending')),
        Number(pairs.get('idle')),
      ];
      const left = name === RELEASED;
      if (name === this.name || !(left || idle > session_ms)) continue;
      if (pending === 0 && !left && idle > LONG_GONE) await this.#remove(connection, name);
      if (pending === 0 || taken.length >= most) continue;
      const ids = await this.#pendingOf(connection, name, Math.min(most - taken.length, PAGE));
      // Of two that want the same one gets it: once taken it is not untouched any more.
      const untouched = left ? RELEASED_IDLE / 2 : session_ms;
      if (ids.length === 0) continue;
      const claim = ['XCLAIM', this.#stream, this.#group, this.name, untouched, ...ids];
      taken.push(...entriesOf(await connection.ask(...claim)));
    }
    return taken;
  }

  async acknowledge(connection: Connection, ids: readonly string[]): Promise<void> {
    await connection.ask('XACK', this.#stream, this.#group, ...ids);
  }

  /** Leaves everything that is with this member to others, and its name to nobody. */
  async leave(connection: Connection): Promise<void> {
    for (;;) {
      const ids = await this.#pendingOf(connection, this.name, PAGE);
      if (ids.length === 0) break;
      const claim = [
        'XCLAIM',
        this.#stream,
        this.#group,
        RELEASED,
        0,
        ...ids,
        'IDLE',
        RELEASED_IDLE,
        'JUSTID',
      ];
      await connection.ask(...claim);
    }
    await this.#remove(connection, this.name);
  }

  async #remove(connection: Connection, name: string): Promise<void> {
    await connection.ask('XGROUP', 'DELCONSUMER', this.#stream, this.#group, name);
  }

  async #pendingOf(connection: Connection, name: string, most: number): Promise<string[]> {
    const listed = await connection.ask('XPENDING', this.#stream, this.#group, '-', '+', most, name);
    return listOf(listed).map((item) => String(listOf(item)[0]));
  }

  #as(command: string): string[] {
    return [command, 'GROUP', this.#group, this.name];
  }

  #read(reply: Reply): Entry[] {
    return entriesOf(listOf(listOf(reply)[0])[1]);
  }
}
