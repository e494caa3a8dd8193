import type { FaultSpec, WrongAnswer } from './spec.ts';

/** What becomes of one answer instead of going its way. */
export type Fault =
  /** So much of it goes, as a share; then what carries it ends. */
  | { readonly kind: 'cut'; readonly share: number }
  /** Neither it nor anything after it goes, and nothing ends. */
  | { readonly kind: 'half_open' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'wrong_answer'; readonly how: WrongAnswer };

export type Plan = {
  readonly wait_ms: number;
  /** Null for as fast as it goes. */
  readonly bytes_per_second: number | null;
  readonly fault: Fault | null;
};

export const noPlan: Plan = { wait_ms: 0, bytes_per_second: null, fault: null };

/** What happens to the answer with that number. It depends on nothing else, so the same seed gives the same faults. */
export function planOf(spec: FaultSpec, seed: number, turn: number): Plan {
  const draw = drawsOf(seed, turn);
  // All are drawn in each turn: one fault more or less in the mix moves no other.
  const [late, uneven, amount, slow, which, detail] = [draw(), draw(), draw(), draw(), draw(), draw()];
  const { latency, jitter, slow_bytes } = spec;
  const wait_ms =
    (late < latency.rate ? latency.ms : 0) + (uneven < jitter.rate ? Math.floor(amount * jitter.ms) : 0);
  const bytes_per_second = slow < slow_bytes.rate ? slow_bytes.per_second : null;
  return { wait_ms, bytes_per_second, fault: faultOf(spec, which, detail) };
}

/** At most one of them: each has its stretch of the numbers from 0 to 1. */
function faultOf(spec: FaultSpec, which: number, detail: number): Fault | null {
  const { cut, half_open, reset, wrong_answers } = spec;
  let left = which;
  if (left < cut) return { kind: 'cut', share: detail };
  left -= cut;
  if (left < half_open) return { kind: 'half_open' };
  left -= half_open;
  if (left < reset) return { kind: 'reset' };
  left -= reset;
  if (left >= wrong_answers.rate) return null;
  const how = wrong_answers.kinds[Math.floor(detail * wrong_answers.kinds.length)];
  return how === undefined ? null : { kind: 'wrong_answer', how };
}

/** Another seed for each of many that have one seed between them. */
export function seedFor(seed: number, number: number): number {
  return mixed(mixed(seed) + number);
}

/** Numbers in [0, 1) that follow from seed and turn alone. */
function drawsOf(seed: number, turn: number): () => number {
  let state = seedFor(seed, turn);
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mixed(state) / 2 ** 32;
  };
}

/** Spreads every bit over all of them (the last step of MurmurHash3). */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** As the log tells it; null where nothing happens. */
export function planText({ wait_ms, bytes_per_second, fault }: Plan): string | null {
  const words = [
    ...(wait_ms > 0 ? [`${wait_ms} ms late`] : []),
    ...(bytes_per_second === null ? [] : [`${bytes_per_second} bytes a second`]),
    ...(fault === null ? [] : [fault.kind === 'wrong_answer' ? `wrong answer: ${fault.how}` : fault.kind]),
  ];
  return words.length === 0 ? null : words.join(', ');
}
