import pino from 'pino';
import type { LogFields, Logger } from '../core/ports/logger.ts';
import type { LogLevel, logLevels } from './logger.ts';
import type { Redaction } from './redaction.ts';

export type LogStream = { write(line: string): void };

export type JsonLoggerParts = {
  readonly level: LogLevel;
  readonly stream: LogStream;
  readonly redaction: Redaction;
  readonly now: () => number;
};

/** Names that every line has; a field of the same name would make it ambiguous. */
const taken = ['at', 'level', 'message'];

/** The log of a server: one JSON object a line, bounded, and without secrets whatever it is handed. */
export function jsonLogger({ level, stream, redaction, now }: JsonLoggerParts): Logger {
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"at":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const at = (name: (typeof logLevels)[number]) => {
    if (!log.isLevelEnabled(name)) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const clean = redaction.fields(fields);
      for (const key of taken) delete clean[key];
      log[name](clean, redaction.text(message));
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Written before the call returns: the last line before a crash is the one that counts. */
export function stderrStream(): LogStream {
  return pino.destination({ dest: 2, sync: true });
}
