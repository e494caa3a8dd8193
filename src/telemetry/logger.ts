import type { LogFields, Logger } from '../core/ports/logger.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number] | 'silent';

/** One JSON object a line. */
export function lineLogger(level: LogLevel, write: (line: string) => void, now: () => Date): Logger {
  const threshold = level === 'silent' ? levels.length : levels.indexOf(level);
  const at = (name: (typeof levels)[number]) => {
    if (levels.indexOf(name) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) => {
      write(`${JSON.stringify({ at: now().toISOString(), level: name, message, ...fields })}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
