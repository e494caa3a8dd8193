import type { FrameSink } from './framing.ts';
import { Gathering } from './gathering.ts';

const LINE_END = 0x0a;

/** Newline-delimited messages. Empty lines mean nothing, unless whoever reads says otherwise. */
export class LineReader {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #line: Gathering;
  readonly #blankLines: boolean;

  constructor(limit: number, sink: FrameSink, blank_lines = false) {
    this.#limit = limit;
    this.#blankLines = blank_lines;
    this.#sink = sink;
    this.#line = new Gathering(limit);
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      this.#line.add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#line.add(chunk.subarray(start));
  }

  /** What came after the last line end is a line as well: whoever wrote it may have ended with it. */
  end(): void {
    if (this.#line.length > 0) this.#finish();
  }

  #finish(): void {
    const { tooLarge } = this.#line;
    const bytes = this.#line.take();
    if (tooLarge) this.#sink.refused(bytes, `is larger than ${this.#limit} bytes`);
    else if (this.#blankLines || !isBlank(bytes)) this.#sink.message(bytes);
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
