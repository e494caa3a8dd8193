import { noObserver, type Observer } from '../core/ports/observer.ts';

/** Several that look at the same engine. The trace context is that of the first that has one. */
export function allObservers(observers: readonly Observer[]): Observer {
  const [first = noObserver, ...others] = observers;
  if (others.length === 0) return first;
  return {
    submitted: (runs) => {
      for (const observer of observers) observer.submitted(runs);
    },
    attemptStarted: (attempt) => {
      const spans = observers.map((observer) => observer.attemptStarted(attempt));
      return {
        traceparent: spans.find(({ traceparent }) => traceparent !== null)?.traceparent ?? null,
        ended: (answer, ms) => {
          for (const span of spans) span.ended(answer, ms);
        },
        left: () => {
          for (const span of spans) span.left();
        },
      };
    },
    arrived: (attempt, answer, ms) => {
      for (const observer of observers) observer.arrived(attempt, answer, ms);
    },
    committed: (commit) => {
      for (const observer of observers) observer.committed(commit);
    },
    commitFailed: (code) => {
      for (const observer of observers) observer.commitFailed(code);
    },
    settled: (task) => {
      for (const observer of observers) observer.settled(task);
    },
    leaseLost: () => {
      for (const observer of observers) observer.leaseLost();
    },
  };
}
