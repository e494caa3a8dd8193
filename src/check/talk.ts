import { GleitzeitError } from '../core/errors.ts';
import type { Asker } from '../rpc/http/ask.ts';
import type { ResponseHeaders } from '../rpc/http/exchange.ts';
import { SseParser } from '../rpc/http/sse.ts';
import type { Evidence } from './finding.ts';

/** What is sent, as it is. */
export type Said = {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Shown nothing of who asks. */
  readonly bare?: boolean;
};

/** What came back: an answer, or the trouble there was instead. */
export type Heard = Evidence & {
  readonly status: number;
  readonly type: string;
  readonly location: string | null;
  /** Null where the bytes are no UTF-8. */
  readonly text: string | null;
  readonly trouble: GleitzeitError | null;
};

/** What came of a stream: the data of its events, or a whole answer where it was none. */
export type HeardStream = Heard & {
  readonly events: readonly string[];
  readonly ended: 'well' | 'cut' | 'open';
};

export type Talk = {
  say(said: Said): Promise<Heard>;
  stream(said: Said): Promise<HeardStream>;
};

export type TalkOptions = {
  readonly asker: Asker;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
};

const MAX_BYTES = 4 * 1024 * 1024;
const SHOWN = 400;

export function talkOver({ asker, timeout_ms, signal }: TalkOptions): Talk {
  function question(said: Said, patience: AbortSignal) {
    const { method = 'POST', url, body, bare = false } = said;
    const type = method === 'POST' ? { 'content-type': 'application/json' } : {};
    return {
      ...{
        method,
        url,
        body: body ?? null,
        signal: AbortSignal.any([signal, patience]),
        max_bytes: MAX_BYTES,
        bare,
      },
      headers: { accept: 'application/json', ...type, ...said.headers },
    };
  }

  async function say(said: Said): Promise<Heard> {
    const sent = shownRequest(said);
    try {
      const { status, headers, body } = await asker.ask(question(said, AbortSignal.timeout(timeout_ms)));
      return heard({ sent, status, headers }, body);
    } catch (thrown) {
      signal.throwIfAborted();
      return failed(sent, thrown);
    }
  }

  /** The stream is given up when nothing came for the whole timeout. */
  async function stream(said: Said): Promise<HeardStream> {
    const sent = shownRequest(said);
    const patience = new AbortController();
    const clock = setTimeout(
      () => patience.abort(new GleitzeitError('GLZ2003', 'nothing more came')),
      timeout_ms,
    );
    const chunks: Buffer[] = [];
    let head: { readonly status: number; readonly headers: ResponseHeaders } | null = null;
    try {
      const opened = await asker.open(question(said, patience.signal));
      head = opened;
      for await (const chunk of opened.body) {
        clock.refresh();
        chunks.push(chunk);
      }
      return eventsOf(heard({ sent, ...head }, Buffer.concat(chunks)), chunks, 'well');
    } catch (thrown) {
      signal.throwIfAborted();
      if (head === null) return { ...failed(sent, thrown), events: [], ended: 'cut' };
      const ended = patience.signal.aborted ? 'open' : 'cut';
      return eventsOf(heard({ sent, ...head }, Buffer.concat(chunks)), chunks, ended);
    } finally {
      clearTimeout(clock);
    }
  }

  return { say, stream };
}

type Head = { readonly sent: string; readonly status: number; readonly headers: ResponseHeaders };

function heard({ sent, status, headers }: Head, body: Buffer): Heard {
  const type = one(headers['content-type']) ?? '';
  const text = decoded(body);
  const shown = text ?? `${body.length} bytes that are no UTF-8`;
  const came = cut(`HTTP ${status}, ${type === '' ? 'no content type' : type}: ${shown}`);
  return { sent, came, status, type, location: one(headers['location']) ?? null, text, trouble: null };
}

function failed(sent: string, thrown: unknown): Heard {
  const trouble = GleitzeitError.from(thrown);
  return { sent, came: trouble.message, status: 0, type: '', location: null, text: null, trouble };
}

function eventsOf(whole: Heard, chunks: readonly Buffer[], ended: HeardStream['ended']): HeardStream {
  const parser = new SseParser(MAX_BYTES);
  const events = chunks.flatMap((chunk) => parser.push(chunk)).map(({ data }) => data);
  return { ...whole, events, ended };
}

/** A byte order mark is kept: it is no part of JSON. */
function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function shownRequest({ method = 'POST', url, headers = {}, body }: Said): string {
  const told = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`);
  return cut(`${method} ${url.href}${told.join(',')}${body === undefined ? '' : ` ${body}`}`);
}

const one = (value: string | readonly string[] | undefined) =>
  typeof value === 'string' ? value : value?.[0];

export function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)} … (${text.length} characters)`;
}
