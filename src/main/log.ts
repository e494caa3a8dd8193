import type { Config } from '../config.ts';
import { secretTexts } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock } from '../embedded/system.ts';
import { jsonLogger, stderrStream } from '../telemetry/json-logger.ts';
import { Redaction } from '../telemetry/redaction.ts';
import { textLogger } from '../telemetry/text-logger.ts';

export type Log = {
  readonly logger: Logger;
  /** From now on nothing of this configuration's secrets is written either. */
  hide(config: Config): void;
  /** The same for these texts. */
  hideTexts(texts: readonly string[]): void;
};

/** Standard error, as the configuration wants it, without its secrets. */
export function openLog(config: Config): Log {
  const redaction = new Redaction();
  const hide = (from: Config) => redaction.add(secretTexts(from));
  hide(config);
  const { level, format } = config.logging;
  const parts = { level, stream: stderrStream(), redaction, now: () => systemClock.wall() };
  const logger = format === 'text' ? textLogger(parts) : jsonLogger(parts);
  return { logger, hide, hideTexts: (texts) => redaction.add(texts) };
}
