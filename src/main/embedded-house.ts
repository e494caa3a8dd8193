import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { noObserver } from '../core/ports/observer.ts';
import type { Dispatch } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';
import { createFace } from '../server/face.ts';
import { Attached, type Others } from './attached.ts';
import { faceParts, rpcOf } from './face-parts.ts';
import { type House, openHouse } from './house.ts';
import { InProcessPipes } from './in-process-pipe.ts';
import type { Observation, ObservationParts } from './observation.ts';
import { Opened } from './opened.ts';
import { socketPlace } from './socket-place.ts';
import { placeOf } from './store.ts';
import { socketAddress } from './unix-pipe.ts';

export type EmbeddedOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Whether tasks are started here. If not, what is in the store stays as it is until somebody works on it. */
  readonly works: boolean;
  /** Protocols that are going to be called at once: what their providers have to start can start meanwhile. */
  readonly warm?: readonly string[] | undefined;
};

export type UnfinishedRun = { readonly workflow_id: string; readonly name: string };

export type EmbeddedHouse = {
  readonly house: House;
  readonly pipes: InProcessPipes;
  readonly others: Others;
  /** Runs that earlier processes left unfinished, the newest first, up to so many. */
  unfinished(limit: number): Promise<readonly UnfinishedRun[]>;
  /** Takes no more tasks, waits so long for calls that run, and lets go of the store. */
  stop(deadline_ms: number): Promise<void>;
};

/** Store, engine, providers and methods in this process, without a port. Whatever fails, nothing stays open. */
export async function openEmbeddedHouse(options: EmbeddedOptions): Promise<EmbeddedHouse> {
  const { config, environment, logger, works } = options;
  const opened = new Opened();
  try {
    const house = await openHouse({
      config: () => config,
      environment,
      logger,
      opened,
      serverStats: async () => null,
      observe: observeLightly,
      works,
      same_thread: true,
    });
    if (works) house.pools.warm(options.warm ?? []);
    let address = '';
    const others = new Attached(InProcessPipes.isEnd);
    const parts = faceParts(house);
    const face = createFace({
      ...parts,
      around: (methods) => others.around(parts.around?.(methods) ?? methods),
      // Whoever may open the store may do everything with it: keys are for those who come over the network.
      keys: () => [],
      system: { ...house.facts, url: () => address },
    });
    const dispatch = rpcOf(face);
    const pipes = new InProcessPipes(dispatch);
    opened.add(() => {
      face.stop();
      pipes.close('this process lets go of the store');
    });
    if (works) address = await listen(house, dispatch, opened);
    return {
      house,
      pipes,
      others,
      unfinished: async (limit) => {
        const { items } = await house.store.reads.runs({ status: ['running'], order: 'newest', limit });
        return items.map(({ workflow_id, name }) => ({ workflow_id, name }));
      },
      stop: (deadline_ms) => opened.close(deadline_ms),
    };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

/** A store that only one process can hold says where that one can be asked. */
async function listen(house: House, dispatch: Dispatch<Connection>, opened: Opened): Promise<string> {
  const { store, logger, config } = house;
  const where = placeOf(config().store);
  if (where.type !== 'sqlite' || store.setAddress === undefined || process.platform === 'win32') return '';
  const { listenOnSocket } = await import('./unix-socket.ts');
  const place = socketPlace(where.path);
  const socket = await listenOnSocket({ path: place.path, dispatch, logger });
  const address = socketAddress(place.path);
  opened.add(async () => {
    // Nobody is sent to somebody who goes.
    await store.setAddress?.(null);
    await socket.close();
    place.remove();
  });
  await store.setAddress(address);
  return address;
}

/** Nobody reads metrics of a command; traces and the log of calls are loaded where the configuration wants them. */
async function observeLightly(parts: ObservationParts): Promise<Observation> {
  const { telemetry, logging } = parts.config;
  if (telemetry.otlp_endpoint === undefined && logging.level !== 'debug') return unobserved;
  const { observe } = await import('./observation.ts');
  return observe({ ...parts, config: { ...parts.config, telemetry: { ...telemetry, metrics: false } } });
}

const unobserved: Observation = {
  observer: noObserver,
  metrics: null,
  watch: (dispatch) => dispatch,
  around: (methods) => methods,
  observeCall: undefined,
  stop: async () => {},
};
