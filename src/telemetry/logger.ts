import type { LogFields, Logger } from '../core/ports/logger.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number] | 'silent';

/** One JSON object a line. */
export function lineLogger(level: LogLevel, write: (line: string) => void, now: () => Date): Logger {
  const threshold = level === 'silent' ? levels.length : levels.indexOf(level);
  const at = (name: (typeof levels)[number]) => {
    if (levels.indexOf(name) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const head = { at: now().toISOString(), level: name, message };
      write(`${lineOf(head, fields)}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A field does not replace what every line has, and one that JSON cannot hold does not take the line with it. */
function lineOf(head: object, fields: LogFields): string {
  try {
    return JSON.stringify(Object.assign({ ...head }, fields, head));
  } catch (thrown) {
    return JSON.stringify({ ...head, fields: `cannot be written: ${String(thrown)}` });
  }
}
