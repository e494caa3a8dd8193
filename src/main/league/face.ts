import { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import type { LeagueAgent } from '../../league/protocol/agent.ts';
import { leagueRoutes } from '../../league/protocol/endpoint.ts';
import { isLoopbackName } from '../../rpc/listener/hosts.ts';
import { defaultListenerLimits } from '../../rpc/listener/limits.ts';
import { createListener } from '../../rpc/listener/listener.ts';
import type { Route } from '../../rpc/listener/route.ts';
import type { ListenerTls } from '../../rpc/listener/server.ts';
import type { Opened } from '../opened.ts';
import { checkPair, readPem } from '../pem.ts';

/** Where an agent of the league is reached. */
export type Where = {
  readonly host: string;
  readonly port: number;
  /** Files in PEM. Every other address than loopback needs them. */
  readonly tls_cert?: string | undefined;
  readonly tls_key?: string | undefined;
};

/** No message of the league is larger. */
const MOST_BYTES = 1024 * 1024;

/** Who asks proves itself by what the envelope says, not by a key of HTTP. */
const anybody = { name: 'anybody', role: 'viewer' } as const;

export type FaceParts = { readonly opened: Opened; readonly logger: Logger };
export type FaceAddress = { readonly url: string; readonly port: number };

/** Opens the endpoint of an agent: `POST /mcp`, `GET /health` and `/status`. Gives its address without a path. */
export function openFace(agent: LeagueAgent, where: Where, parts: FaceParts): Promise<FaceAddress> {
  return openRoutes(leagueRoutes({ agent, clock: systemClock, logger: parts.logger }), where, parts);
}

export async function openRoutes(
  routes: readonly Route[],
  where: Where,
  { opened, logger }: FaceParts,
): Promise<FaceAddress> {
  const { host, port } = where;
  const tls = certificateOf(where);
  const listener = createListener({
    ...{ on: { host, port }, limits: { ...defaultListenerLimits, body_bytes: MOST_BYTES } },
    // Behind TLS the name was checked by whoever asks.
    ...{ allowed_hosts: tls === undefined ? [] : ['*'], allowed_origins: [], logger },
    ...{ clock: systemClock, timers: systemTimers, authenticate: () => anybody },
    ...(tls === undefined ? {} : { tls }),
  });
  for (const route of routes) listener.mount(route);
  opened.add(async (deadline_ms) => {
    await listener.quiet();
    await listener.stop(deadline_ms);
  });
  return listener.start();
}

/** What is said here proves who says it, so beyond this machine nobody may overhear it. */
function certificateOf({ host, tls_cert, tls_key }: Where): ListenerTls | undefined {
  if (tls_cert !== undefined && tls_key !== undefined) {
    const pair = { cert: readPem(tls_cert, '--tls-cert', 'cert'), key: readPem(tls_key, '--tls-key', 'key') };
    checkPair(pair, tls_key, '--tls-key');
    return pair;
  }
  if (tls_cert !== undefined || tls_key !== undefined)
    throw new GleitzeitError('GLZ1012', '--tls-cert and --tls-key go together', { field: 'tls-cert' });
  if (isLoopbackName(host)) return undefined;
  throw new GleitzeitError('GLZ1012', `listening on ${host} needs TLS`, {
    field: 'host',
    hint: 'add --tls-cert and --tls-key, or listen on 127.0.0.1',
  });
}
