import type { Caller, Connection, Route } from '../../../rpc/listener/route.ts';
import { dispatchTo, type ServedEndpoint, zonePolicy } from '../serve.ts';

/** What the runtime looks at: a container that is busy is left running, although nobody calls it. */
export type Ping = { readonly busy: () => Promise<boolean>; readonly now_s: () => number };

/** To us whoever comes through the runtime is this caller: AWS has checked its signature. */
const runtime: Caller = { name: 'agentcore', role: 'operator' };

/** The contract of a container of AgentCore: payloads by POST at `/invocations`, and a sign of life at `/ping`. */
export function agentcoreRoutes(
  served: ServedEndpoint,
  { access, ping }: { readonly access: 'keys' | 'open'; readonly ping: Ping },
): Route[] {
  const invocations = { kind: 'rpc', path: '/invocations', policy: zonePolicy, websocket: false } as const;
  const dispatch = dispatchTo<Connection>(served);
  let told = { status: 'Healthy', time_of_last_update: ping.now_s() };
  return [
    { ...invocations, dispatch, ...(access === 'open' ? { caller: runtime } : {}) },
    {
      kind: 'get',
      path: '/ping',
      access: 'open',
      answer: async () => {
        const status = (await ping.busy()) ? 'HealthyBusy' : 'Healthy';
        if (status !== told.status) told = { status, time_of_last_update: ping.now_s() };
        return { status: 200, type: 'application/json', body: JSON.stringify(told) };
      },
    },
  ];
}
