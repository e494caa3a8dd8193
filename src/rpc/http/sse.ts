import { GleitzeitError } from '../../core/errors.ts';

/** One message of an event stream (text/event-stream, as the HTML standard has it). */
export type SseEvent = {
  /** `message` unless the stream says otherwise. */
  readonly event: string;
  readonly data: string;
  /** The last id the stream gave, of this event or one before it; empty for none. */
  readonly id: string;
};

/** Takes a stream in whatever pieces it arrives. What is not ended by an empty line when the stream ends is no event. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  readonly #max: number;
  #rest = '';
  #after_cr = false;
  #event = '';
  #data: string[] = [];
  #size = 0;
  #id = '';
  #retry_ms: number | null = null;

  /** `max_event`: characters that one event may hold. */
  constructor(max_event: number) {
    this.#max = max_event;
  }

  /** Where to go on after the stream was cut. */
  get last_id(): string {
    return this.#id;
  }

  /** How long the service asks us to wait before that; null where it does not say. */
  get retry_ms(): number | null {
    return this.#retry_ms;
  }

  /** The events that are complete with this piece. Throws GLZ2005 for one that is too large. */
  push(chunk: Uint8Array): SseEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    // The second half of a line break that was torn in two.
    if (this.#after_cr && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      this.#after_cr = false;
    }
    const found: SseEvent[] = [];
    let from = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      const event = this.#take(this.#rest + text.slice(from, index));
      this.#rest = '';
      if (event !== null) found.push(event);
      from = index + end.length;
      this.#after_cr = end === '\r' && from === text.length;
    }
    this.#rest += text.slice(from);
    this.#bound(this.#rest.length);
    return found;
  }

  #take(line: string): SseEvent | null {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') {
      this.#bound(value.length + 1);
      this.#size += value.length + 1;
      this.#data.push(value);
    } else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d{1,15}$/.test(value)) this.#retry_ms = Number(value);
    return null;
  }

  #end(): SseEvent | null {
    const event = this.#event;
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    if (data.length === 0) return null;
    return { event: event === '' ? 'message' : event, data: data.join('\n'), id: this.#id };
  }

  #bound(more: number): void {
    if (this.#size + more <= this.#max) return;
    throw new GleitzeitError('GLZ2005', `an event of the stream has more than ${this.#max} characters`);
  }
}

/** The events of an answer, one after another. */
export async function* sseEvents(
  body: AsyncIterable<Uint8Array>,
  parser: SseParser,
): AsyncGenerator<SseEvent> {
  for await (const chunk of body) yield* parser.push(chunk);
}
