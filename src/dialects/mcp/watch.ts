import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';

export type WatchLimits = {
  /** How long a call may take in all; null for as long as its task may. */
  readonly timeout_ms: number | null;
  /** How long nothing may be heard of it; null for as long as it takes. */
  readonly idle_ms: number | null;
};

/** A call that is watched: its signal ends with the task's own, with the hard limit, or when nothing is heard for too long. */
export type Watched = {
  readonly signal: AbortSignal;
  /** Something was heard. */
  touch(): void;
  end(): void;
};

export function watch(outer: AbortSignal, { timeout_ms, idle_ms }: WatchLimits, timers: Timers): Watched {
  if (timeout_ms === null && idle_ms === null) return { signal: outer, touch: () => {}, end: () => {} };
  const controller = new AbortController();
  const forward = () => controller.abort(outer.reason);
  if (outer.aborted) forward();
  outer.addEventListener('abort', forward);
  const after = (ms: number | null, message: string, hint: string) =>
    ms === null
      ? () => {}
      : timers.after(ms, () =>
          controller.abort(new GleitzeitError('GLZ2003', `${message} ${ms / 1000} s`, { hint })),
        );
  const cancelTimeout = after(
    timeout_ms,
    'no answer within',
    'raise `timeout` of the provider if tools need longer',
  );
  const idle = () =>
    after(
      idle_ms,
      'no sign of life for',
      'raise `idle_timeout` of the provider if tools are silent for longer',
    );
  let cancelIdle = idle();
  return {
    signal: controller.signal,
    touch: () => {
      cancelIdle();
      if (!controller.signal.aborted) cancelIdle = idle();
    },
    end: () => {
      cancelTimeout();
      cancelIdle();
      outer.removeEventListener('abort', forward);
    },
  };
}
