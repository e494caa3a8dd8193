import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Logger } from '../core/ports/logger.ts';
import { serveZoneStdio } from '../zone/carriers/stdio/serve.ts';
import { openLog } from './log.ts';
import { Opened } from './opened.ts';
import { openZoneHere, type ZoneHereOptions } from './zone-here.ts';

export type StdioZoneOptions = Omit<ZoneHereOptions, 'logger'> & {
  /** Whoever started this process. */
  readonly streams: { readonly input: Readable; readonly output: Writable };
};

export type StdioZone = {
  readonly logger: Logger;
  /** Resolves when nobody asks any more. */
  readonly ended: Promise<void>;
  /** Answers who waits with what there is, and waits for running calls; what was accepted goes on after the next start. */
  stop(): Promise<void>;
};

/** An execution zone over the streams of this process. Whatever fails on the way, nothing stays open. */
export async function startZoneOverStdio(options: StdioZoneOptions): Promise<StdioZone> {
  const { config, streams } = options;
  const { logger } = openLog(config);
  const opened = new Opened();
  try {
    const zone = await openZoneHere({ ...options, logger }, opened);
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
