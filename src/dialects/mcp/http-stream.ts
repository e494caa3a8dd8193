import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import { givenUp } from '../../rpc/correlate.ts';
import type { WebStream } from '../../rpc/http/client.ts';
import { SseParser } from '../../rpc/http/sse.ts';
import type { Note } from './said.ts';
import { type Heard, readEvent } from './stream-message.ts';

/** How a stream came to its end: with the answer, or without it and where to go on. */
export type StreamEnd =
  | { readonly answer: RpcAnswer }
  | { readonly last_id: string; readonly retry_ms: number | null; readonly error: GleitzeitError | null };

export type Listening = {
  /** Whose answer ends it. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly max_event: number;
  note(note: Note): void;
  request(id: string | number, note: Note): void;
};

/** Hands on what comes before the answer. The stream is left open: breaking it off would cost its connection. */
export async function readStream(stream: WebStream, listening: Listening): Promise<StreamEnd> {
  const parser = new SseParser(listening.max_event);
  const chunks = stream.body[Symbol.asyncIterator]();
  let error: GleitzeitError | null = null;
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      for (const { event, data } of parser.push(next.value)) {
        if (event !== 'message') continue;
        const answer = take(readEvent(data), listening);
        if (answer !== null) return { answer };
      }
  } catch (thrown) {
    stream.cancel();
    if (listening.signal.aborted) throw givenUp(listening.signal);
    error = GleitzeitError.from(thrown, 'GLZ2002');
    // What cannot be read is not going to be better the second time.
    if (error.code !== 'GLZ2002') throw error;
  }
  return { last_id: parser.last_id, retry_ms: parser.retry_ms, error };
}

/** A server that ends its stream by itself leaves a connection to go on with; one that does not loses it after `ms`. */
export async function letEnd(stream: WebStream, ms: number, timers: Timers): Promise<void> {
  const cancel = timers.after(ms, () => stream.cancel());
  const chunks = stream.body[Symbol.asyncIterator]();
  try {
    while ((await chunks.next()).done !== true);
  } catch {
    // The answer is there: how the rest ends concerns nobody.
  } finally {
    cancel();
  }
}

function take(heard: Heard, { id, note, request }: Listening): RpcAnswer | null {
  if (heard.is === 'note') note(heard.note);
  else if (heard.is === 'request') request(heard.id, heard.note);
  else if (heard.is === 'answer') return heard.id === id || isOurs(heard) ? heard.answer : null;
  return null;
}

/** An error that names no call: on a stream of its own it can only mean this one. */
function isOurs({ id, answer }: Heard & { is: 'answer' }): boolean {
  return (id === null || id === undefined) && 'error' in answer;
}
