import type { FrameSink, Framing } from './framing.ts';
import { HeaderReader } from './header-reader.ts';
import { LineReader } from './line-reader.ts';

export interface FrameReader {
  push(chunk: Uint8Array): void;
  /** Nothing more comes. */
  end(): void;
}

export type FrameReaderOptions = {
  readonly framing: Framing | 'auto';
  readonly max_message: number;
  /** Whether a line of nothing is a message. Unless it is, it means nothing. */
  readonly blank_lines?: boolean | undefined;
  readonly sink: FrameSink;
  /** Told once, when it is known how the peer writes. */
  readonly decided?: (framing: Framing) => void;
};

export function frameReader(options: FrameReaderOptions): FrameReader {
  return options.framing === 'auto' ? new SniffingReader(options) : readerOf(options.framing, options);
}

function readerOf(framing: Framing, { max_message, sink, blank_lines }: FrameReaderOptions): FrameReader {
  if (framing === 'headers') return new HeaderReader(max_message, sink);
  return new LineReader(max_message, sink, blank_lines);
}

const headers = ['content-length:', 'content-type:'];

/** Waits until the first bytes say which framing it is: a header has a name that no JSON text begins with. */
class SniffingReader implements FrameReader {
  readonly #options: FrameReaderOptions;
  #first = Buffer.alloc(0);
  #reader: FrameReader | null = null;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== null) {
      this.#reader.push(chunk);
      return;
    }
    this.#first = Buffer.concat([this.#first, chunk]);
    const framing = sniff(this.#first.toString('latin1', 0, 100));
    if (framing !== undefined) this.#decide(framing).push(this.#first);
  }

  end(): void {
    if (this.#reader === null) this.#decide('lines').push(this.#first);
    this.#reader?.end();
  }

  #decide(framing: Framing): FrameReader {
    this.#reader = readerOf(framing, this.#options);
    this.#options.decided?.(framing);
    return this.#reader;
  }
}

/** Undefined while the bytes are too few to tell. */
function sniff(first: string): Framing | undefined {
  const start = first.trimStart().toLowerCase();
  if (headers.some((header) => start.startsWith(header))) return 'headers';
  if (headers.some((header) => header.startsWith(start)) && first.length < 100) return undefined;
  return 'lines';
}
