import type { Broker } from '../bridge/broker.ts';
import { type Config, createReloader, listenerLimits, type Reloader, type Secrets } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { createListener, type Listener } from '../rpc/listener/listener.ts';
import type { OpenPipe } from '../sdk/pipe.ts';
import { createFace, type Face } from '../server/face.ts';
import type { ApiStats } from '../telemetry/metrics.ts';
import { publicHosts } from './callback.ts';
import { certificateRenewal, readCertificate } from './certificate.ts';
import { faceParts, rpcOf } from './face-parts.ts';
import type { Faults } from './faults.ts';
import { type House, openHouse } from './house.ts';
import { InProcessPipes } from './in-process-pipe.ts';
import { openLog } from './log.ts';
import { observe } from './observation.ts';
import { Opened } from './opened.ts';
import { applyChange } from './providers.ts';
import { spareMemory } from './spare-memory.ts';
import { WatchedFiles } from './watched-files.ts';

export type ServerOptions = {
  readonly config: Config;
  /** Reads the configuration again. Secrets whose files cannot be used for a moment stay what they are. */
  readonly load: (in_force: Secrets) => Promise<Config>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What happens on the way to every provider. */
  readonly faults?: Faults | undefined;
  /** Through which calls leave, instead of the one that the configuration names. */
  readonly broker?: Broker | undefined;
  /** Done through the API when all is there, and before anybody else can call it. */
  readonly prepare?: ((open: OpenPipe, logger: Logger) => Promise<void>) | undefined;
};

export type Server = {
  readonly url: string;
  readonly logger: Logger;
  readonly reload: Reloader['reload'];
  /** For whoever is in the same process: the API without a network, and without a key. */
  readonly open: OpenPipe;
  /** Takes no more work, waits for running calls until the deadline, and closes everything. */
  stop(): Promise<void>;
};

/** Composes the server. Whatever fails on the way, nothing that was opened stays open. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, load, environment, faults, broker, prepare } = options;
  const { logger, hide, hideTexts } = openLog(config);
  for (const warning of config.warnings) logger.warn(warning);
  const opened = new Opened();
  let inForce = config;
  let stats: () => Promise<ApiStats | null> = async () => null;
  let cut: Faced['cut'] = () => {};
  try {
    const surroundings = {
      ...{ environment, logger, opened, serverStats: () => stats(), observe, faults, broker },
    };
    const house = await openHouse({ config: () => inForce, hideTexts, reachable: true, ...surroundings });
    const reloader = createReloader({
      config,
      load,
      logger,
      apply: async (change, next) => {
        hide(next);
        const before = inForce;
        inForce = next;
        try {
          applyChange(house, change);
          if (change.agents.length > 0) house.agents.configured();
        } catch (thrown) {
          inForce = before;
          throw thrown;
        }
        cut(change.keys);
      },
    });
    const faced = await openFace(house, opened, prepare);
    const { url, open } = faced;
    stats = faced.stats;
    cut = faced.cut;
    const reload = async () => {
      const outcome = await reloader.reload();
      faced.renew();
      await files.follow(reloader.current());
      return outcome;
    };
    // A changed file is taken by itself, the types and secrets it brings along included.
    const files = new WatchedFiles({ onChange: reload, timers: systemTimers, logger });
    opened.add(() => files.close());
    await files.follow(config);
    spareMemory(opened);
    logger.info('listening', { url, store: config.store.type, providers: house.pools.providers().length });
    const patience_ms = config.engine.stop_timeout * 1000;
    return { url, logger, open, reload, stop: () => opened.close(patience_ms) };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

type Faced = {
  readonly url: string;
  readonly open: OpenPipe;
  readonly stats: () => Promise<ApiStats>;
  /** Ends what was opened with the keys of these names. */
  readonly cut: (names: readonly string[]) => void;
  /** Takes the certificate if it is another one by now. */
  readonly renew: () => void;
};

/** The control API, on the address the configuration names. */
async function openFace(house: House, opened: Opened, prepare: ServerOptions['prepare']): Promise<Faced> {
  let url = '';
  const face = createFace({ ...faceParts(house), system: { ...house.facts, url: () => url } });
  const listener = listenerFor(house, face);
  const zone = house.config().zone.execute === undefined ? null : (await import('./zone.ts')).openZone(house);
  for (const route of [...face.routes, ...(zone?.routes ?? [])]) listener.mount(route);
  const pipes = new InProcessPipes(rpcOf(face));
  opened.add(async (deadline_ms) => {
    const until = systemClock.monotonic() + deadline_ms;
    await listener.quiet();
    // What was accepted goes on: nobody has to wait here to be told so.
    zone?.stop();
    // Calls that run may still end while their callers wait; whoever waits for anything else need not.
    await house.engine.quiet().catch(() => {});
    await within(deadline_ms, house.engine.idle());
    face.stop();
    pipes.close('the server stops');
    await listener.stop(Math.max(0, until - systemClock.monotonic()));
  });
  const open: OpenPipe = async (receiver) => pipes.open(receiver);
  await prepare?.(open, house.logger);
  void zone?.tellOfMissing();
  ({ url } = await listener.start());
  await house.store.setAddress?.(url);
  return {
    url,
    open,
    stats: async () => ({ ...(await listener.stats()), ...face.stats() }),
    cut: (names) => listener.cut(({ name }) => names.includes(name)),
    renew: renewalFor(house, listener),
  };
}

function renewalFor({ config, logger }: House, listener: Listener): () => void {
  const { tls: files } = config().server;
  return files === undefined
    ? () => {}
    : certificateRenewal({ files, logger, take: (tls) => listener.renew(tls) });
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const cancel = systemTimers.after(ms, resolve);
  await Promise.race([work, timeUp]);
  cancel();
}

function listenerFor({ config, logger }: House, face: Face): Listener {
  const { host, port, tls, public_url, allowed_hosts, allowed_origins, limits } = config().server;
  return createListener({
    on: { host, port },
    limits: listenerLimits(limits),
    allowed_hosts: [...allowed_hosts, ...publicHosts(public_url)],
    allowed_origins,
    logger,
    clock: systemClock,
    timers: systemTimers,
    ...(face.authenticate === undefined ? {} : { authenticate: face.authenticate }),
    ...(tls === undefined ? {} : { tls: readCertificate(tls) }),
  });
}
