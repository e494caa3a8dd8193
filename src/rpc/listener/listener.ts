import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { type Address, addressOf, type ListenOn, listenOn } from './addresses.ts';
import { Admission, greetOrigin } from './admission.ts';
import { serveGet } from './get-route.ts';
import { serveHook } from './hook-route.ts';
import { isLoopbackName } from './hosts.ts';
import type { ListenerLimits } from './limits.ts';
import { methodsOf, Paths, urlsOf } from './paths.ts';
import { malformed } from './refusal.ts';
import { type Authenticate, pathOf } from './request-view.ts';
import type { Caller, Route } from './route.ts';
import { servePost } from './rpc-route.ts';
import { type ListenerTls, openServer, renewTls } from './server.ts';
import { Shared } from './shared.ts';
import { stopServer } from './stop.ts';
import { serveStream } from './stream-route.ts';
import { serveTree } from './tree-route.ts';
import { Upgrades } from './upgrades.ts';

export type ListenerOptions = {
  readonly on: ListenOn;
  readonly tls?: ListenerTls;
  readonly limits: ListenerLimits;
  /** Names besides loopback and the address itself under which the listener may be asked. `*` is every name. */
  readonly allowed_hosts: readonly string[];
  /** Origins besides its own from which browsers may ask. */
  readonly allowed_origins: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Null is refused with 401. Left out, everybody is an administrator, which only loopback and Unix sockets may do. */
  readonly authenticate?: Authenticate;
};

export type Listener = {
  /** Before `start` only. */
  mount(route: Route): void;
  start(): Promise<Address>;
  /** Ends the WebSockets and streams of those who may no longer have them. */
  cut(gone: (caller: Caller) => boolean): void;
  /** Another certificate, for connections that are opened from now on. */
  renew(tls: ListenerTls): void;
  /** Takes no more calls; what is under way goes on. */
  quiet(): Promise<void>;
  /** Ends every connection, politely until the deadline. */
  stop(deadline_ms: number): Promise<void>;
  stats(): Promise<ListenerStats>;
};

export type ListenerStats = {
  readonly connections: number;
  readonly sockets: number;
  readonly streams: number;
  readonly requests: number;
  readonly held_bytes: number;
  /** Requests refused so far, by HTTP status. */
  readonly refused: Readonly<Record<string, number>>;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** What a listener is made of. */
type Parts = {
  readonly shared: Shared;
  readonly upgrades: Upgrades;
  readonly paths: Paths;
  readonly app: FastifyInstance;
  readonly server: Server;
};

const everybody: Caller = { name: 'local', role: 'admin' };

/** One address for all faces: JSON-RPC by POST and WebSocket, plain questions, and streams of events. */
export function createListener(options: ListenerOptions): Listener {
  refuseUnguarded(options);
  const parts = build(options);
  const { shared, app, server } = parts;
  return {
    mount: (route) => mount(parts, route),
    start: async () => {
      await app.ready();
      await listenOn(server, options.on);
      return addressOf(server, options.on, options.tls !== undefined);
    },
    cut: (gone) => {
      for (const one of [...shared.sockets, ...shared.streams])
        if (one.caller !== null && gone(one.caller)) one.destroy();
    },
    renew: (tls) => renewTls(server, tls),
    quiet: async () => {
      shared.beQuiet();
    },
    stop: async (deadline_ms) => {
      await stopServer(shared, server, deadline_ms);
      await app.close();
    },
    stats: () => statsOf(parts),
  };
}

/** Without keys everybody who reaches us may do everything, so nobody from outside may reach us. */
function refuseUnguarded({ on, authenticate }: ListenerOptions): void {
  if (authenticate !== undefined || 'socket_path' in on || isLoopbackName(on.host)) return;
  throw new GleitzeitError('GLZ1012', `listening on ${on.host} needs keys`, {
    field: 'server.host',
    hint: 'add a key to server.keys, or listen on 127.0.0.1',
  });
}

function build(options: ListenerOptions): Parts {
  const { authenticate = () => everybody, limits, logger, clock, timers } = options;
  const shared = new Shared({ limits, logger, clock, timers, authenticate });
  const upgrades = new Upgrades(shared);
  const paths = new Paths();
  const admission = new Admission({
    allowed_hosts: options.allowed_hosts,
    allowed_origins: options.allowed_origins,
    secure: options.tls !== undefined,
    unix: 'socket_path' in options.on,
  });
  const app = openApp(shared, paths, (serve) =>
    openServer(shared, options.tls, (request, response) => {
      const path = pathOf(request);
      const verdict = admission.judge(request, paths.isOpen(path));
      if (typeof verdict !== 'string')
        shared.refuse(request, response, paths.inWordsAt(path, verdict), paths.envelopeAt(path));
      else if (verdict !== 'allowed' || !greetOrigin(request, response)) serve(request, response);
    }),
  );
  app.server.on('upgrade', (request, carrier, head) => {
    if (!(carrier instanceof Socket)) return;
    const verdict = admission.judge(request);
    upgrades.accept(request, carrier, head, typeof verdict === 'string' ? null : verdict);
  });
  return { shared, upgrades, paths, app, server: app.server };
}

/** Fastify finds the route; what is said there is not its business, so its own part of the way is left out. */
function openApp(shared: Shared, paths: Paths, serverFactory: (serve: Serve) => Server): FastifyInstance {
  const app = fastify({
    serverFactory,
    exposeHeadRoutes: false,
    frameworkErrors: (_, request, reply) => {
      reply.hijack();
      shared.refuse(request.raw, reply.raw, malformed, 'plain');
    },
  });
  app.addHook('onRequest', (request, reply, next) => {
    if (!request.is404) {
      next();
      return;
    }
    reply.hijack();
    const { raw } = request;
    const path = pathOf(raw);
    shared.refuse(raw, reply.raw, paths.inWordsAt(path, paths.refusal(raw)), paths.envelopeAt(path));
  });
  return app;
}

function mount({ app, shared, upgrades, paths }: Parts, route: Route): void {
  paths.add(route);
  if (route.kind === 'rpc' && route.websocket !== false) upgrades.add(route);
  const serve = serveRoute(shared, paths, route);
  for (const url of urlsOf(route))
    app.route({
      method: [...methodsOf(route)],
      url,
      onRequest: (request, reply) => {
        reply.hijack();
        serve(request.raw, reply.raw);
      },
      handler: () => {},
    });
}

function serveRoute(shared: Shared, paths: Paths, route: Route): Serve {
  if (route.kind === 'rpc') return servePost(shared, route);
  if (route.kind === 'tree') return serveTree(shared, route, (request) => paths.refusal(request));
  if (route.kind === 'hook') return serveHook(shared, route);
  return route.kind === 'get' ? serveGet(shared, route) : serveStream(shared, route);
}

async function statsOf({ shared, server }: Parts): Promise<ListenerStats> {
  const connections = await new Promise<number>((resolve) =>
    server.getConnections((error, count) => resolve(error === null ? count : 0)),
  );
  return {
    connections,
    sockets: shared.sockets.size,
    streams: shared.streams.size,
    requests: shared.connections.working,
    held_bytes: shared.held.total,
    refused: Object.fromEntries(shared.refused),
  };
}
