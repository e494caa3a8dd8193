import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from '../mapping/mistake.ts';
import { type Pointer, pathOf, pointer, withValue } from '../mapping/pointer.ts';
import type { Scope } from '../mapping/template.ts';
import { answerLimits } from '../provider-type.ts';
import type { Got } from './answer.ts';
import type { PaginationConfig } from './config.ts';
import { linkIn } from './link.ts';
import type { Asked, MakeRequest, PageMark } from './request.ts';

/** Fetches one page. */
export type Fetch = (asked: Asked) => Promise<Got>;

export type Gathered = {
  /** The first page with the items of all of them in it. */
  readonly got: Got;
  readonly count: number;
  /** No further page was left out. */
  readonly complete: boolean;
};

export type Pages = {
  gather(make: MakeRequest, scope: Scope, fetch: Fetch): Promise<Gathered>;
};

const MAX_PAGES = 10;

/** Where the next page is: a mark on the same request, or an address. Null for no next page. */
type Next = { readonly mark: PageMark } | { readonly url: string } | null;
type Turn = {
  readonly got: Got;
  readonly items: readonly Json[];
  readonly index: number;
  readonly seen: number;
};

export function pagesOf(config: PaginationConfig, at: string): Pages {
  const path = pathOf(config.items, child(at, 'items'));
  const items = pointer(config.items, child(at, 'items'));
  const more = config.more === undefined ? null : pointer(config.more, child(at, 'more'));
  const next = ways[config.by](config, at);
  const first = firstMark(config, at);
  const max_pages = config.max_pages ?? MAX_PAGES;

  const after = (turn: Turn): Next => {
    if (more !== null && more(turn.got.value) !== true) return null;
    if (config.size !== undefined && turn.items.length < config.size) return null;
    return next(turn);
  };

  async function gather(make: MakeRequest, scope: Scope, fetch: Fetch): Promise<Gathered> {
    let asked = first === null ? make(scope) : make(scope, first);
    const all: Json[] = [];
    const marks = new Set<string>();
    let start: Got | null = null;
    let bytes = 0;
    for (let index = 1; ; index++) {
      const got = await fetch(asked);
      start ??= got;
      bytes += got.bytes;
      if (bytes > answerLimits.max_message) throw tooMuch(bytes);
      const found = listIn(items(got.value), config.items);
      for (const item of found) all.push(item);
      const following = after({ got, items: found, index, seen: all.length });
      const done = following === null;
      if (done || index === max_pages)
        return { got: { ...start, value: withValue(start.value, path, all) }, count: index, complete: done };
      asked = 'url' in following ? atAddress(asked, following.url) : make(scope, following.mark);
      // By number each page is another; a service that does not look at it says the same for ever.
      const mark = config.by === 'page' || config.by === 'offset' ? JSON.stringify(found) : markOf(asked);
      if (marks.has(mark)) throw goesRound();
      marks.add(mark);
    }
  }

  return { gather };
}

function markOf({ url, body }: Asked): string {
  return `${url.href} ${String(body)}`;
}

type Way = (config: PaginationConfig, at: string) => (turn: Turn) => Next;

const ways: Readonly<Record<PaginationConfig['by'], Way>> = {
  next: ({ from, query, body }, at) => {
    if (from === undefined)
      throw mistake(child(at, 'from'), 'is missing', 'it says where the next address is');
    if ((query ?? body) !== undefined)
      throw mistake(
        child(at, query === undefined ? 'body' : 'query'),
        'is of no use: the address says it all',
      );
    const read = fromAnswer(from, at);
    return ({ got }) => {
      const url = from === 'link' ? linkIn(got.headers['link'], 'next') : read(got.value);
      return typeof url === 'string' && url !== '' ? { url } : null;
    };
  },
  cursor: (config, at) => {
    const { from } = config;
    if (from === undefined || from === 'link')
      throw mistake(child(at, 'from'), 'is missing', 'it says where the cursor is');
    const read = fromAnswer(from, at);
    const send = sender(config, at);
    return ({ got }) => {
      const cursor = read(got.value);
      return cursor === undefined || cursor === null || cursor === '' ? null : { mark: send(cursor) };
    };
  },
  page: (config, at) => {
    const send = sender(config, at);
    return ({ items, index }) => (items.length === 0 ? null : { mark: send((config.start ?? 1) + index) });
  },
  offset: (config, at) => {
    const send = sender(config, at);
    return ({ items, seen }) => (items.length === 0 ? null : { mark: send((config.start ?? 0) + seen) });
  },
};

function fromAnswer(from: string, at: string): Pointer {
  return from === 'link' ? () => undefined : pointer(from, child(at, 'from'));
}

/** Pages that are counted are asked for by number from the first one on. */
function firstMark(config: PaginationConfig, at: string): PageMark | null {
  if (config.by !== 'page' && config.by !== 'offset') return null;
  return sender(config, at)(config.start ?? (config.by === 'page' ? 1 : 0));
}

function sender({ query, body }: PaginationConfig, at: string): (mark: Json) => PageMark {
  if (query !== undefined && body !== undefined)
    throw mistake(child(at, 'body'), 'stands beside query', 'leave one of them out');
  if (query !== undefined)
    return (mark) => ({ query: [query, typeof mark === 'string' ? mark : JSON.stringify(mark)] });
  if (body === undefined)
    throw mistake(child(at, 'query'), 'is missing', 'it says as which word the page is asked for');
  const path = pathOf(body, child(at, 'body'));
  return (mark) => ({ body: (sent) => withValue(sent, path, mark) });
}

/** An address out of an answer. Within the service it is called as ever; elsewhere it is held against the guard. */
export function atAddress(asked: Asked, address: string): Asked {
  const url = URL.parse(address, asked.url);
  if (url === null) throw new GleitzeitError('GLZ2005', 'the answer names an address that is none');
  if (asked.body !== null && url.origin !== asked.url.origin)
    throw new GleitzeitError(
      'GLZ2010',
      `the answer sends us to another origin, ${url.origin}, with what was sent`,
    );
  return { ...asked, url };
}

function listIn(value: Json | undefined, where: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value as readonly Json[];
  throw new GleitzeitError('GLZ2005', `at ${where || 'its root'} a page has something that is no list`);
}

function goesRound(): GleitzeitError {
  return new GleitzeitError('GLZ2005', 'the service names a page that was fetched before', {
    hint: 'look at pagination: does the service know the word that names the page?',
  });
}

function tooMuch(bytes: number): GleitzeitError {
  return new GleitzeitError(
    'GLZ2005',
    `the pages together are larger than a result may be (${bytes} bytes)`,
    {
      hint: 'fetch fewer: max_pages, or a query that narrows it down',
    },
  );
}
