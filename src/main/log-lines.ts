import { type Config, secretTexts } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock } from '../embedded/system.ts';
import { Redaction } from '../telemetry/redaction.ts';
import { textLogger } from '../telemetry/text-logger.ts';

/** The log of a command: lines for people, and only of trouble unless the configuration names a level. */
export function commandLogger(
  config: Config,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Logger {
  const redaction = new Redaction();
  redaction.add(secretTexts(config));
  const chosen = config.sources['logging.level'] ?? 'default';
  const level = chosen === 'default' ? 'warn' : config.logging.level;
  return textLogger({ level, stream: { write }, redaction, now: () => systemClock.wall() });
}
