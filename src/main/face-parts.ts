import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Dispatch } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';
import { defaultFaceLimits, type Face, type FaceParts } from '../server/face.ts';
import { revealAgent } from './agent-reveal.ts';
import { tlsOfAgent } from './agents.ts';
import type { House } from './house.ts';

/** What the control API needs of the house, whoever it is shown to. */
export function faceParts(house: House): Omit<FaceParts, 'system'> {
  const { config, engine, store, registered, definitions, stats, observation, logger } = house;
  const { server } = config();
  const { metrics, observeCall } = observation;
  return {
    engine,
    reads: store.reads,
    router: controlOf(house),
    protocols: registered,
    definitions,
    agents: controlAgents(house),
    functions: () => config().functions,
    stats,
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

function controlAgents(house: House): FaceParts['agents'] {
  const { agents, connections, channels, logger, cipher } = house;
  return {
    load: () => agents.load(),
    get: (name) => agents.get(name),
    list: () => agents.list(),
    create: (given) => agents.create(given),
    update: (name, change, options) => agents.update(name, change, options),
    remove: (name) => agents.remove(name),
    problem: (name) => connections.problem(name),
    reveal: (entry) => revealAgent(house.config(), cipher, entry),
    ping: async (entry, asked) => {
      const { pingAgent } = await import('./agent-ping.ts');
      return pingAgent(entry, tlsOfAgent(cipher, entry), { ...asked, logger });
    },
    check: async (entry, asked) => (await import('./agent-check.ts')).checkEntry(house, entry, asked),
    discover: async (asked) => (await import('./agent-ping.ts')).discoverAgent(channels, asked),
  };
}

/** Who is drained is written down before it is told: it holds for all engines and over restarts. */
function controlOf({ pools, drains }: House): FaceParts['router'] {
  const isThere = (id: string) => pools.status(id) !== null;
  return {
    protocols: () => pools.protocols(),
    heldBackBy: (protocol) => pools.heldBackBy(protocol),
    opensIn: (protocol, line) => pools.opensIn(protocol, line),
    providers: () => pools.providers(),
    status: (id) => pools.status(id),
    test: (id, question) => pools.test(id, question),
    drain: async (id) => {
      if (isThere(id)) await drains.add(id);
      return isThere(id);
    },
    resume: async (id) => {
      if (isThere(id)) await drains.resume(id);
      return isThere(id);
    },
  };
}

/** What answers calls, for whoever does not come over the network. */
export function rpcOf({ routes }: Pick<Face, 'routes'>): Dispatch<Connection> {
  for (const route of routes) if (route.kind === 'rpc') return route.dispatch;
  throw new TypeError('a face without methods');
}
