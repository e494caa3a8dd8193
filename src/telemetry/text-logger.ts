import type { LogFields, Logger } from '../core/ports/logger.ts';
import type { JsonLoggerParts } from './json-logger.ts';
import { logLevels } from './logger.ts';

/** What a person reads of one field; the log in JSON has more. */
const MOST = 8192;

/** The same log as lines for people: `10:02:03.123 warn  the message  task_id=… error="…"`. */
export function textLogger({ level, stream, redaction, now }: JsonLoggerParts): Logger {
  const threshold = level === 'silent' ? logLevels.length : logLevels.indexOf(level);
  const at = (name: (typeof logLevels)[number]) => {
    if (logLevels.indexOf(name) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const time = new Date(now()).toISOString().slice(11, 23);
      const said = onOneLine(redaction.text(message));
      const told = Object.entries(redaction.fields(fields)).map(([key, value]) => `  ${key}=${shown(value)}`);
      stream.write(`${time} ${name.padEnd(5)} ${said}${told.join('')}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** What is not a plain word is quoted, so that nobody can write a line of his own. */
function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  const text = onOneLine(JSON.stringify(value) ?? 'undefined');
  return text.length <= MOST ? text : `${text.slice(0, MOST)} … (${text.length} characters)`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
