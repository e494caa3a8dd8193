import type { Caller, Connection, Route } from '../../../rpc/listener/route.ts';
import { dispatchTo, type ServedEndpoint, zonePolicy } from '../serve.ts';

/** What the runtime looks at: that the container is there, and since when it says so. */
export type Ping = { readonly busy: () => boolean; readonly since_s: () => number };

/** To us whoever comes through the runtime is this caller: AWS has checked its signature. */
const runtime: Caller = { name: 'agentcore', role: 'operator' };

/** The contract of a container of AgentCore: payloads by POST at `/invocations`, and a sign of life at `/ping`. */
export function agentcoreRoutes(
  served: ServedEndpoint,
  { access, ping }: { readonly access: 'keys' | 'open'; readonly ping: Ping },
): Route[] {
  const invocations = { kind: 'rpc', path: '/invocations', policy: zonePolicy, websocket: false } as const;
  const dispatch = dispatchTo<Connection>(served);
  return [
    { ...invocations, dispatch, ...(access === 'open' ? { caller: runtime } : {}) },
    {
      kind: 'get',
      path: '/ping',
      access: 'open',
      answer: () => {
        const status = ping.busy() ? 'HealthyBusy' : 'Healthy';
        const body = JSON.stringify({ status, time_of_last_update: ping.since_s() });
        return { status: 200, type: 'application/json', body };
      },
    },
  ];
}
