import type { LogFields, Logger } from '../core/ports/logger.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number] | 'silent';

/** One JSON object a line. */
export function lineLogger(level: LogLevel, write: (line: string) => void, now: () => Date): Logger {
  const threshold = level === 'silent' ? logLevels.length : logLevels.indexOf(level);
  const at = (name: (typeof logLevels)[number]) => {
    if (logLevels.indexOf(name) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const head = { at: now().toISOString(), level: name, message };
      write(`${lineOf(head, fields)}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The same log, every line of which tells these fields too: whose request it was, which task, which run. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  const at = (name: (typeof logLevels)[number]) => (message: string, more?: LogFields) =>
    logger[name](message, { ...fields, ...more });
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
