import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';

/** A logger that remembers, for tests that look. */
export function rememberingLogger(): Logger & { readonly lines: [string, LogFields][] } {
  const lines: [string, LogFields][] = [];
  const remember = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  return { lines, debug: remember, info: remember, warn: remember, error: remember };
}

const silent = () => {};
const clock: Clock = { wall: () => 0, monotonic: () => performance.now() };

/** What a test that looks at neither hands in. */
export const quiet: { readonly logger: Logger; readonly clock: Clock } = {
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  clock,
};
