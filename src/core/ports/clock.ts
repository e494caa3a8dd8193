/** Time, handed in. Nothing in the engine asks the machine for it (invariant 7). */
export interface Clock {
  /** Wall time in milliseconds. May jump; only for what people read. */
  wall(): number;
  /** Milliseconds that only ever go forward, for durations inside this process. */
  monotonic(): number;
}

export interface Timers {
  /** Calls once after `ms`; the returned function takes it back. */
  after(ms: number, call: () => void): () => void;
  /** Calls once when everything that can run now has run. */
  soon(call: () => void): void;
}
