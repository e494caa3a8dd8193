import type { Timers } from '../core/ports/clock.ts';
import type { Plan } from './plan.ts';
import type { WrongAnswer } from './spec.ts';

/** What carries one answer to whoever asked. */
export type Way = {
  /** So many bytes are announced. */
  begin(length: number): void;
  /** Resolves when they are on their way, or nobody is there to take them. */
  write(piece: Uint8Array): Promise<void>;
  done(): void;
  /** Ends it in the usual manner. */
  cut(): void;
  /** Ends it without a word. */
  reset(): void;
};

export type FaultyAnswer = {
  readonly bytes: Uint8Array;
  readonly wrong: (how: WrongAnswer) => Uint8Array;
};

/** `silent`: nothing may follow. `over`: there is nothing any more that it could follow on. */
export type Carried = 'done' | 'silent' | 'over';

/** Does to an answer what was planned. The wait before it is its caller's: answers may have to stay in order. */
export async function carryOut(
  { fault, bytes_per_second }: Plan,
  { bytes, wrong }: FaultyAnswer,
  { way, pauses }: { way: Way; pauses: Pauses },
): Promise<Carried> {
  if (fault?.kind === 'half_open') return 'silent';
  if (fault?.kind === 'reset') {
    way.reset();
    return 'over';
  }
  const said = fault?.kind === 'wrong_answer' ? wrong(fault.how) : bytes;
  const gone = fault?.kind === 'cut' ? said.subarray(0, Math.floor(fault.share * said.length)) : said;
  way.begin(said.length);
  const { size, every_ms } = paceOf(bytes_per_second);
  for (let at = 0; at < gone.length; at += size) {
    if (at > 0 && !(await pauses.wait(every_ms))) return 'over';
    await way.write(gone.subarray(at, at + size));
  }
  if (fault?.kind !== 'cut') {
    way.done();
    return 'done';
  }
  way.cut();
  return 'over';
}

const PIECES_A_SECOND = 20;

/** Pieces, and the time between them. A few large ones do as well as many small ones where it goes fast. */
export function paceOf(bytes_per_second: number | null): { size: number; every_ms: number } {
  if (bytes_per_second === null) return { size: Number.POSITIVE_INFINITY, every_ms: 0 };
  const size = Math.ceil(bytes_per_second / PIECES_A_SECOND);
  return { size, every_ms: (1000 * size) / bytes_per_second };
}

/** Waits that end when everything ends. */
export class Pauses {
  readonly #timers: Timers;
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** False where it was ended meanwhile. */
  async wait(ms: number): Promise<boolean> {
    if (ms > 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        const over = () => {
          cancel();
          this.#waiting.delete(over);
          resolve();
        };
        const cancel = this.#timers.after(ms, over);
        this.#waiting.add(over);
      });
    }
    return !this.#ended;
  }

  end(): void {
    this.#ended = true;
    for (const over of [...this.#waiting]) over();
  }
}
