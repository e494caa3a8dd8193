import type { Connection, RpcRoute } from '../../../rpc/listener/route.ts';
import { dispatchTo, type ServedEndpoint, zonePolicy } from '../serve.ts';

/** The contract by POST and, on the same path, over a WebSocket: for the listener that all faces share. */
export function httpsRoute(served: ServedEndpoint, path: string): RpcRoute {
  return { kind: 'rpc', path, dispatch: dispatchTo<Connection>(served), policy: zonePolicy };
}
