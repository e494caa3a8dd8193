import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { openEmbeddedHouse } from './embedded-house.ts';
import type { Opened } from './opened.ts';
import type { ServerOptions } from './server.ts';
import { openZone, type Zone } from './zone.ts';

export type ZoneHereOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Done through the API before the first request is taken. */
  readonly prepare?: ServerOptions['prepare'];
};

/** An execution zone on an engine in this process, which no listener serves. */
export async function openZoneHere(options: ZoneHereOptions, opened: Opened): Promise<Zone> {
  const { config, environment, logger, prepare } = options;
  if (config.zone.execute === undefined) throw nothingToExecute();
  for (const warning of config.warnings) logger.warn(warning);
  const embedded = await openEmbeddedHouse({ config, environment, logger, works: true });
  opened.add((deadline_ms) => embedded.stop(deadline_ms));
  const zone = openZone(embedded.house);
  if (zone === null) throw nothingToExecute();
  await prepare?.(async (receiver) => embedded.pipes.open(receiver), logger);
  void zone.tellOfMissing();
  return zone;
}

function nothingToExecute(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'the configuration does not say what a task becomes here', {
    field: 'zone.execute',
    hint: 'add zone.execute; docs/how-to/execution-zone.md shows one',
  });
}
