import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Dispatch } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';
import { defaultFaceLimits, type Face, type FaceParts } from '../server/face.ts';
import type { House } from './house.ts';

/** What the control API needs of the house, whoever it is shown to. */
export function faceParts(house: House): Omit<FaceParts, 'system'> {
  const { config, engine, store, pools, registered, definitions, observation, logger } = house;
  const { server } = config();
  const { metrics, observeCall } = observation;
  return {
    engine,
    reads: store.reads,
    router: pools,
    protocols: registered,
    definitions,
    keys: () => config().server.keys,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    limits: {
      ...defaultFaceLimits,
      dispatch: {
        ...defaultFaceLimits.dispatch,
        max_batch: server.limits.batch,
        max_depth: server.limits.depth,
      },
      subscriptions_per_connection: server.limits.subscriptions,
    },
    around: observation.around,
    ...(observeCall === undefined ? {} : { observe: observeCall }),
    ...(metrics === null
      ? {}
      : { metrics: async () => ({ type: metrics.contentType, text: await metrics.text() }) }),
  };
}

/** What answers calls, for whoever does not come over the network. */
export function rpcOf({ routes }: Pick<Face, 'routes'>): Dispatch<Connection> {
  for (const route of routes) if (route.kind === 'rpc') return route.dispatch;
  throw new TypeError('a face without methods');
}
