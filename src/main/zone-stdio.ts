import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { serveZoneStdio } from '../zone/carriers/stdio/serve.ts';
import { openEmbeddedHouse } from './embedded-house.ts';
import { openLog } from './log.ts';
import { Opened } from './opened.ts';
import type { ServerOptions } from './server.ts';
import { openZone } from './zone.ts';

export type StdioZoneOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whoever started this process. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
  /** Done through the API before the first request is read. */
  readonly prepare?: ServerOptions['prepare'];
};

export type StdioZone = {
  readonly logger: Logger;
  /** Resolves when nobody asks any more. */
  readonly ended: Promise<void>;
  /** Answers who waits with what there is, and waits for running calls; what was accepted goes on after the next start. */
  stop(): Promise<void>;
};

/** An execution zone over the streams of this process, on an engine in it. Whatever fails on the way, nothing stays open. */
export async function startZoneOverStdio(options: StdioZoneOptions): Promise<StdioZone> {
  const { config, environment, streams, prepare } = options;
  if (config.zone.execute === undefined) throw nothingToExecute();
  const { logger } = openLog(config);
  for (const warning of config.warnings) logger.warn(warning);
  const opened = new Opened();
  try {
    const embedded = await openEmbeddedHouse({ config, environment, logger, works: true });
    opened.add((deadline_ms) => embedded.stop(deadline_ms));
    const zone = openZone(embedded.house);
    if (zone === null) throw nothingToExecute();
    await prepare?.(async (receiver) => embedded.pipes.open(receiver), logger);
    void zone.tellOfMissing();
    const input = endable(streams.input);
    const ended = serveZoneStdio(zone.served, { input: input.stream, output: streams.output });
    opened.add(async () => {
      input.end();
      zone.stop();
      await ended;
    });
    logger.info('takes requests from standard input', { store: config.store.type });
    return { logger, ended, stop: () => opened.close(config.engine.stop_timeout * 1000) };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

/** What was read is still answered when it is ended from this side. */
function endable(input: Readable): { readonly stream: Readable; readonly end: () => void } {
  const stream = new PassThrough();
  input.once('error', (thrown) => stream.destroy(thrown));
  input.pipe(stream);
  const end = () => {
    input.unpipe(stream);
    input.destroy();
    stream.end();
  };
  return { stream, end };
}

function nothingToExecute(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'the configuration does not say what a task becomes here', {
    field: 'zone.execute',
    hint: 'add zone.execute; docs/how-to/execution-zone.md shows one',
  });
}
