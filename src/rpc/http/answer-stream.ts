import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { readMessage } from '../answers.ts';
import type { ChannelCall } from '../channel.ts';
import { progressOf } from '../progress.ts';
import type { AnswerStream, ResponseHeaders } from './exchange.ts';
import { SseParser } from './sse.ts';

/** What a call says that it can read: the answer alone, or news of it first. */
export const STREAMED = 'application/json, text/event-stream, application/x-ndjson';

export type StreamParts = {
  readonly max_bytes: number;
  readonly max_depth: number;
  readonly timers: Timers;
};

/** Null for an answer that is no stream of messages. */
export function answerStream(
  headers: ResponseHeaders,
  call: Pick<ChannelCall, 'id' | 'progressed'>,
  { max_bytes, max_depth, timers }: StreamParts,
): AnswerStream | null {
  const type = String(headers['content-type']).split(';')[0]?.trim().toLowerCase();
  const first = (texts: readonly string[]): string | null => {
    for (const text of texts) if (isAnswer(text, call, max_depth)) return text;
    return null;
  };
  if (type === 'text/event-stream') {
    const parser = new SseParser(max_bytes);
    const push = (chunk: Uint8Array) => first(parser.push(chunk).map(({ data }) => data));
    return { push, end: () => null, timers };
  }
  if (type !== 'application/x-ndjson' && type !== 'application/jsonl') return null;
  const lines = new Lines(max_bytes);
  return { push: (chunk) => first(lines.push(chunk)), end: () => first(lines.end()), timers };
}

/**
 * Hands on what the message tells of the call; other notifications are nobody's business. What is no message stands in the place
 * of the answer, and is told like any other answer that is none.
 */
function isAnswer(text: string, call: Pick<ChannelCall, 'id' | 'progressed'>, max_depth: number): boolean {
  const read = readMessage(text, max_depth);
  if ('invalid' in read || !isObject(read.value)) return true;
  const { method, params } = read.value;
  if (typeof method !== 'string') return true;
  const news = progressOf(method, params);
  if (news !== null && news.id === call.id) call.progressed?.(news.told);
  return false;
}

class Lines {
  readonly #decoder = new TextDecoder();
  readonly #max: number;
  #rest = '';

  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Uint8Array): string[] {
    return this.#split(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string[] {
    return this.#split(`${this.#decoder.decode()}\n`);
  }

  #split(text: string): string[] {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const whole = lines.map((line, index) => (index === 0 ? this.#rest + line : line));
    this.#rest = whole.length === 0 ? this.#rest + last : last;
    if (this.#rest.length > this.#max)
      throw new GleitzeitError('GLZ2005', `a line of the answer has more than ${this.#max} characters`);
    return whole.filter((line) => line.trim() !== '');
  }
}
