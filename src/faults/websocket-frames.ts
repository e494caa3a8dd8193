/** One message of a WebSocket: its frames as they came, and what they hold. */
export type SocketMessage = { readonly bytes: Buffer; readonly payload: Buffer };

export type FrameEvents = {
  message(message: SocketMessage): void;
  /** Pings, pongs and farewells, which may stand between the frames of a message. */
  control(bytes: Buffer): void;
  /** More than may be held. */
  tooLarge(): void;
};

type Frame = {
  readonly head: number;
  readonly size: number;
  readonly final: boolean;
  readonly opcode: number;
};

const FINAL = 0x80;
const MASKED = 0x80;
const TEXT = 0x1;
const FIRST_CONTROL = 0x8;

/** Finds the messages in what a WebSocket server sends. Servers do not mask. */
export class FrameSplitter {
  readonly #limit: number;
  readonly #events: FrameEvents;
  #rest: Buffer[] = [];
  #held = 0;
  /** Bytes without which nothing can be decided. */
  #needed = 2;
  #frames: Buffer[] = [];
  #payloads: Buffer[] = [];
  #size = 0;
  #broken = false;

  constructor(limit: number, events: FrameEvents) {
    this.#limit = limit;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    if (this.#broken) return;
    this.#rest.push(chunk);
    this.#held += chunk.length;
    while (!this.#broken && this.#held >= this.#needed) {
      const bytes = this.#rest.length === 1 && this.#rest[0] !== undefined ? this.#rest[0] : this.#joined();
      const frame = frameIn(bytes);
      const whole = typeof frame === 'number' ? frame : frame.head + frame.size;
      if (this.#size + whole > this.#limit) this.#break();
      else if (typeof frame === 'number' || bytes.length < whole) this.#keep([bytes], whole);
      else {
        this.#keep([bytes.subarray(whole)], 2);
        this.#take(bytes.subarray(0, whole), frame);
      }
    }
  }

  #joined(): Buffer {
    return Buffer.concat(this.#rest);
  }

  #keep(rest: Buffer[], needed: number): void {
    this.#rest = rest;
    this.#held = rest.reduce((sum, { length }) => sum + length, 0);
    this.#needed = needed;
  }

  #take(bytes: Buffer, { head, final, opcode }: Frame): void {
    if (opcode >= FIRST_CONTROL) {
      this.#events.control(bytes);
      return;
    }
    this.#frames.push(bytes);
    this.#payloads.push(bytes.subarray(head));
    this.#size += bytes.length;
    if (!final) return;
    const message = { bytes: Buffer.concat(this.#frames), payload: Buffer.concat(this.#payloads) };
    this.#frames = [];
    this.#payloads = [];
    this.#size = 0;
    this.#events.message(message);
  }

  #break(): void {
    this.#broken = true;
    this.#keep([], 2);
    this.#frames = [];
    this.#payloads = [];
    this.#events.tooLarge();
  }
}

/** The frame that the bytes begin with, or how many bytes it takes to tell. */
function frameIn(bytes: Buffer): Frame | number {
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const mask = (second & MASKED) === 0 ? 0 : 4;
  const head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + mask;
  if (bytes.length < head) return head;
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  return { head, size, final: (first & FINAL) !== 0, opcode: first & 0xf };
}

/** A whole message of text, as a server writes it. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([headOf(payload.length), payload]);
}

function headOf(size: number): Buffer {
  if (size < 126) return Buffer.from([FINAL | TEXT, size]);
  const head = Buffer.alloc(size < 65_536 ? 4 : 10);
  head[0] = FINAL | TEXT;
  head[1] = size < 65_536 ? 126 : 127;
  if (size < 65_536) head.writeUInt16BE(size, 2);
  else head.writeBigUInt64BE(BigInt(size), 2);
  return head;
}
