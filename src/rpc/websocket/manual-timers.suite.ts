import type { Timers } from '../../core/ports/clock.ts';

export type ManualTimers = Timers & {
  /** What is waited for at this moment, in milliseconds. */
  readonly waiting: readonly number[];
  /** Lets the timers of this length end, as if the time had passed. */
  pass(ms: number): void;
  /** Resolves when a timer of this length is set. */
  set(ms: number): Promise<void>;
};

/** Time that passes when the test says so. */
export function manualTimers(): ManualTimers {
  const pending = new Set<{ readonly ms: number; readonly call: () => void }>();
  const watching = new Set<{ readonly ms: number; readonly done: () => void }>();
  return {
    after: (ms, call) => {
      const timer = { ms, call };
      pending.add(timer);
      for (const watcher of watching) if (ms === watcher.ms) watcher.done();
      return () => void pending.delete(timer);
    },
    soon: (call) => void setImmediate(call),
    get waiting() {
      return [...pending].map(({ ms }) => ms);
    },
    pass: (ms) => {
      for (const timer of [...pending]) {
        if (timer.ms !== ms) continue;
        pending.delete(timer);
        timer.call();
      }
    },
    set: (ms) =>
      new Promise((resolve) => {
        if ([...pending].some((timer) => timer.ms === ms)) return resolve();
        const watcher = {
          ms,
          done: () => {
            watching.delete(watcher);
            resolve();
          },
        };
        watching.add(watcher);
      }),
  };
}
