import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Random } from '../core/ports/random.ts';
import type { Engine } from '../engine/engine.ts';
import {
  createDispatch,
  type DispatchLimits,
  defaultDispatchLimits,
  type MethodTable,
  type ObserveCall,
} from '../rpc/dispatch.ts';
import type { Caller, Connection, HttpRequest, Route } from '../rpc/listener/route.ts';
import { plainPolicy } from '../rpc/policy.ts';
import { authenticator } from './access/access.ts';
import type { KeyEntry } from './access/keys.ts';
import { Tickets } from './access/tickets.ts';
import { controlMethods } from './control.ts';
import { defaultHubLimits, EventHub, type HubLimits } from './events/hub.ts';
import { eventStream } from './events/stream.ts';
import { streamQueryReader } from './events/stream-query.ts';
import { DEFAULT_SUBSCRIPTIONS, Subscriptions } from './events/subscriptions.ts';
import { alive, readiness } from './health.ts';
import { openRpcText } from './methods/system.ts';
import { notifyRoute } from './notify.ts';
import type { ControlParts } from './parts.ts';
import { restRoute } from './rest/rest.ts';

export type FaceLimits = HubLimits & {
  readonly dispatch: DispatchLimits;
  readonly subscriptions_per_connection: number;
};

export const defaultFaceLimits: FaceLimits = {
  ...defaultHubLimits,
  dispatch: defaultDispatchLimits,
  subscriptions_per_connection: DEFAULT_SUBSCRIPTIONS,
};

export type FaceParts = Omit<ControlParts, 'engine' | 'stopping' | 'subscriptions' | 'tickets'> & {
  readonly engine: ControlParts['engine'] & Pick<Engine, 'events'>;
  /** Those in force at the moment. */
  readonly keys: () => readonly KeyEntry[];
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: FaceLimits;
  /** Hears of every call, for metrics. */
  readonly observe?: ObserveCall;
  /** Put around every method, for logs and traces. */
  readonly around?: (methods: MethodTable<Connection>) => MethodTable<Connection>;
  /** What Prometheus gets; without it there is no `/metrics`. */
  readonly metrics?: () => Promise<{ readonly type: string; readonly text: string }>;
};

/** What the world sees of the control API. */
export type Face = {
  readonly routes: readonly Route[];
  /** For the listener; undefined where no keys are configured, and everybody is an administrator. */
  readonly authenticate: ((request: HttpRequest) => Caller | null) | undefined;
  /** Who follows events now, and how many were sent. */
  stats(): { readonly followers: number; readonly events_sent: number };
  /** Ends what follows events or waits for results. */
  stop(): void;
};

export function createFace(parts: FaceParts): Face {
  const { engine, reads, timers, random, logger, clock, limits = defaultFaceLimits } = parts;
  const tickets = new Tickets({ clock, random });
  const hub = new EventHub({ events: (query) => engine.events(query), reads, timers, logger, limits });
  const subscriptions = new Subscriptions({
    hub,
    random,
    timers,
    most_per_connection: limits.subscriptions_per_connection,
  });
  const { around = (methods) => methods } = parts;
  const stopping = new AbortController();
  const methods = around(controlMethods({ ...parts, stopping: stopping.signal, subscriptions, tickets }));
  const dispatch = createDispatch({
    methods,
    policy: plainPolicy,
    limits: limits.dispatch,
    logger,
    clock,
    ...(parts.observe === undefined ? {} : { observe: parts.observe }),
  });
  return {
    routes: [
      { kind: 'rpc', path: '/rpc', dispatch, policy: plainPolicy },
      eventsRoute(hub),
      restRoute({ ...parts, methods }),
      ...plainRoutes(parts),
    ],
    authenticate: authenticator(parts.keys, tickets),
    stats: () => ({ followers: hub.size, events_sent: hub.sent }),
    stop: () => {
      stopping.abort();
      hub.stop();
    },
  };
}

function eventsRoute(hub: EventHub): Route {
  const read = streamQueryReader();
  return {
    kind: 'stream',
    path: '/events',
    access: 'viewer',
    open: (request) => eventStream(hub, read(request)),
  };
}

function plainRoutes(parts: FaceParts): Route[] {
  const { metrics, system } = parts;
  const routes: Route[] = [
    notifyRoute(parts),
    { kind: 'get', path: '/health', access: 'open', answer: alive },
    { kind: 'get', path: '/ready', access: 'open', when_quiet: 'refused', answer: readiness(parts) },
    {
      kind: 'get',
      path: '/openrpc.json',
      access: 'viewer',
      answer: () => ({ status: 200, type: 'application/json', body: openRpcText(system) }),
    },
  ];
  if (metrics === undefined) return routes;
  const answer = async () => {
    const { type, text } = await metrics();
    return { status: 200, type, body: text };
  };
  return [...routes, { kind: 'get', path: '/metrics', access: 'viewer', when_quiet: 'served', answer }];
}
