export type Interrupt = 'SIGINT' | 'SIGTERM';

export type Interrupts = {
  /**
   * Resolves with the next one; those that came while nobody waited are not forgotten. After the signal the next one is
   * somebody else's.
   */
  next(signal?: AbortSignal): Promise<Interrupt>;
  /** From now on the next one ends the process at once. */
  release(): void;
};

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Ctrl-C and kill, as something to wait for. */
export function catchInterrupts(exit: () => void): Interrupts {
  const waiting: ((interrupt: Interrupt) => void)[] = [];
  const came: Interrupt[] = [];
  let released = false;
  const take = (interrupt: Interrupt) => {
    if (released) exit();
    const next = waiting.shift();
    if (next === undefined) came.push(interrupt);
    else next(interrupt);
  };
  for (const signal of signals) process.on(signal, () => take(signal));
  return {
    next: (signal) => {
      const before = came.shift();
      if (before !== undefined) return Promise.resolve(before);
      const { promise, resolve } = Promise.withResolvers<Interrupt>();
      waiting.push(resolve);
      signal?.addEventListener('abort', () => {
        const place = waiting.indexOf(resolve);
        if (place >= 0) waiting.splice(place, 1);
      });
      return promise;
    },
    release: () => {
      released = true;
    },
  };
}
