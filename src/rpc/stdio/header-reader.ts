import type { FrameSink } from './framing.ts';
import { Gathering } from './gathering.ts';

/** A few hundred bytes are usual. */
const MAX_HEADER = 8192;
const HEADER_END = '\r\n\r\n';

/**
 * Messages behind `Content-Length: n` and an empty line, as language servers write them. A count that is wrong leaves no
 * way to find the next message: the stream is given up.
 */
export class HeaderReader {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #body: Gathering;
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are still to come; null while a header is read. */
  #missing: number | null = null;
  #broken = false;

  constructor(limit: number, sink: FrameSink) {
    this.#limit = limit;
    this.#sink = sink;
    this.#body = new Gathering(limit);
  }

  push(chunk: Uint8Array): void {
    let rest: Uint8Array = chunk;
    while (rest.length > 0 && !this.#broken) {
      rest = this.#missing === null ? this.#readHeader(rest) : this.#readBody(rest, this.#missing);
    }
  }

  /** A message that is not whole is none. */
  end(): void {}

  #readBody(chunk: Uint8Array, missing: number): Uint8Array {
    const piece = chunk.subarray(0, missing);
    this.#body.add(piece);
    this.#missing = missing - piece.length;
    if (this.#missing === 0) this.#finish();
    return chunk.subarray(piece.length);
  }

  #readHeader(chunk: Uint8Array): Uint8Array {
    const before = this.#header.length;
    this.#header = Buffer.concat([this.#header, chunk.subarray(0, MAX_HEADER)]);
    const end = this.#header.indexOf(HEADER_END);
    if (end < 0) {
      if (this.#header.length > MAX_HEADER) this.#break(`a header longer than ${MAX_HEADER} bytes`);
      return chunk.subarray(MAX_HEADER);
    }
    const length = contentLength(this.#header.toString('latin1', 0, end));
    this.#header = Buffer.alloc(0);
    if (length === null) this.#break('a header without a Content-Length');
    this.#missing = length;
    if (length === 0) this.#finish();
    return chunk.subarray(end + HEADER_END.length - before);
  }

  #finish(): void {
    this.#missing = null;
    const { tooLarge } = this.#body;
    const bytes = this.#body.take();
    if (tooLarge) this.#sink.refused(bytes, `is larger than ${this.#limit} bytes`);
    else this.#sink.message(bytes);
  }

  #break(reason: string): void {
    this.#broken = true;
    this.#sink.broken(reason);
  }
}

function contentLength(header: string): number | null {
  const found = /^[ \t]*content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/im.exec(header)?.[1];
  return found === undefined ? null : Number(found);
}
