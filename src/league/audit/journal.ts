import type { DocumentRow } from '../../core/changes.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { type Documents, everyDocument } from '../../registry/documents.ts';
import { beginning, type ChainEnd, type Entry, type Line, nextLine } from './line.ts';

/** What belongs to a line and must not stand in it: a token, sealed and as its hash. */
export type Aside = { readonly seq: number; readonly sealed: string; readonly hash: string };

/** Some lines of the log, as they are kept: one document, and so one commit. */
export type Page = { readonly lines: readonly string[]; readonly aside: readonly Aside[] };

export type JournalParts = {
  readonly documents: Documents;
  readonly league_id: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Hears of lines as they are durable, in order. Never throws. */
  readonly drawn: (lines: readonly string[]) => void;
};

const COLLECTION = 'league';
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;

export type NewEntry = Entry & { readonly token?: { readonly sealed: string; readonly hash: string } };

type Waiting = {
  readonly lines: readonly Line[];
  readonly aside: readonly Aside[];
  readonly kept: () => void;
  readonly failed: (error: GleitzeitError) => void;
};

/**
 * The log of a league in the store. It is also the league's state, which is the fold of what stands here: so whatever
 * changes is written by the very commit that tells of it, and nothing can be the case that the log does not know.
 *
 * What is told in one call stands in one page, all of it or nothing. Pages have numbers and are never written twice: a
 * second manager of the same league finds its number taken, and stops.
 */
export class Journal {
  readonly #parts: JournalParts;
  #end: ChainEnd = beginning;
  #page = 0;
  #waiting: Waiting[] = [];
  #writing = false;
  #closed: GleitzeitError | null = null;
  readonly #lost = Promise.withResolvers<GleitzeitError>();

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /** What was written before, to be taken in from the first line on. Then it goes on from there. */
  async *open(): AsyncGenerator<Page> {
    const { documents, league_id } = this.#parts;
    for await (const row of everyDocument(documents, COLLECTION, `${league_id}/`)) {
      const page = readPage(row);
      this.#page = Number(row.key.slice(league_id.length + 1));
      this.#end = endOf(page, this.#end);
      yield page;
    }
  }

  /** Resolves, with the reason, when another manager has this league. Never when it is only closed. */
  get lost(): Promise<GleitzeitError> {
    return this.#lost.promise;
  }

  /** Resolves when all of it is durable, by one commit. Lines are numbered in the order of these calls. */
  append(entries: readonly NewEntry[]): Promise<void> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    const lines: Line[] = [];
    const aside: Aside[] = [];
    for (const { token, ...entry } of entries) {
      const line = nextLine(this.#end, entry, this.#parts.clock.wall());
      this.#end = line;
      lines.push(line);
      if (token !== undefined) aside.push({ seq: line.seq, ...token });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ lines, aside, kept: resolve, failed: reject });
    if (!this.#writing) void this.#write();
    return promise;
  }

  /** Everything that was told so far is durable, or this league is lost. */
  async settled(): Promise<void> {
    if (this.#writing) await this.append([]).catch(() => {});
  }

  close(): void {
    this.#end_with(new GleitzeitError('GLZ9002', 'the league has stopped'));
  }

  /** What comes while one page is written goes together with the next. */
  async #write(): Promise<void> {
    this.#writing = true;
    // Whoever is told in the same turn shares the page.
    await Promise.resolve();
    while (this.#waiting.length > 0 && this.#closed === null) {
      const batch = this.#takeBatch();
      const lines = batch.flatMap((one) => one.lines.map(({ text }) => text));
      const error =
        lines.length === 0 ? null : await this.#put({ lines, aside: batch.flatMap(({ aside }) => aside) });
      if (error !== null) {
        for (const { failed } of batch) failed(error);
        return;
      }
      this.#parts.drawn(lines);
      for (const { kept } of batch) kept();
    }
    this.#writing = false;
  }

  #takeBatch(): Waiting[] {
    let characters = 0;
    const past = this.#waiting.findIndex(({ lines }) => {
      characters += lines.reduce((sum, { text }) => sum + text.length, 0);
      return characters > PAGE_CHARACTERS;
    });
    return this.#waiting.splice(0, past === -1 ? this.#waiting.length : Math.max(1, past));
  }

  /** Null when it is durable; otherwise why nothing more will be. */
  async #put(page: Page): Promise<GleitzeitError | null> {
    const { documents, league_id, timers, logger } = this.#parts;
    const key = pageKey(league_id, ++this.#page);
    const text = JSON.stringify(page);
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(LONGEST_DELAY_MS, delay * 2)) {
      try {
        await documents.put({ collection: COLLECTION, key, text, expect: 0 });
        return null;
      } catch (thrown) {
        const error = GleitzeitError.from(thrown, 'GLZ3001');
        const found = error.code === 'GLZ1013' ? await this.#found(key) : null;
        if (found !== null) return found === text ? null : this.#taken();
        if (error.code === 'GLZ9002') this.#end_with(error);
        if (this.#closed !== null) return this.#closed;
        logger.warn('the log of the league could not be written', { code: error.code });
      }
      await new Promise<void>((resolve) => timers.after(delay, resolve));
    }
  }

  /** It may be our own page, whose commit was carried out although we were not told. Null where that cannot be read now. */
  async #found(key: string): Promise<string | null> {
    const { reads } = this.#parts.documents;
    const found = await reads.document(COLLECTION, key).catch(() => null);
    return found?.text ?? null;
  }

  #taken(): GleitzeitError {
    const error = new GleitzeitError('GLZ1013', 'another manager has this league', {
      hint: 'one of the two has to stop',
    });
    this.#end_with(error);
    this.#lost.resolve(error);
    return error;
  }

  #end_with(error: GleitzeitError): void {
    if (this.#closed !== null) return;
    this.#closed = error;
    for (const { failed } of this.#waiting.splice(0)) failed(error);
  }
}

/** Calls share a page up to this size; one alone may be larger. */
const PAGE_CHARACTERS = 1024 * 1024;

function pageKey(league_id: string, page: number): string {
  return `${league_id}/${String(page).padStart(10, '0')}`;
}

function readPage({ text }: DocumentRow): Page {
  return JSON.parse(text) as Page;
}

function endOf({ lines }: Page, before: ChainEnd): ChainEnd {
  const last = lines.at(-1);
  const sum = last?.slice(-66, -2);
  return sum === undefined ? before : { seq: before.seq + lines.length, hash: sum };
}

/** The whole log as it is kept, line by line, for whoever reads a store without managing its league. */
export async function* journalLines(
  documents: Pick<Documents, 'reads'>,
  league_id: string,
): AsyncGenerator<string> {
  for await (const row of everyDocument(documents, COLLECTION, `${league_id}/`)) yield* readPage(row).lines;
}
