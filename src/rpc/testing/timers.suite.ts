import type { Timers } from '../../core/ports/clock.ts';

export const systemTimers: Timers = {
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  soon: (call) => void setImmediate(call),
};
