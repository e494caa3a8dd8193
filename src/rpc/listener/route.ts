import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../../core/json.ts';
import type { Dispatch } from '../dispatch.ts';
import type { RpcPolicy } from '../policy.ts';
import type { ServerSocket } from '../websocket/server-socket.ts';

export type Role = 'viewer' | 'operator' | 'admin' | 'bridge';
export type Caller = { readonly name: string; readonly role: Role };

/** What whoever authenticates or answers a request sees of it. */
export type HttpRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The peer's address; empty on a Unix socket. */
  readonly address: string;
};

/** What methods are told of whoever calls. One per request over HTTP, one for its whole life over WebSocket. */
export type Connection = {
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** For notifications. Null where the answer is all that can be sent. */
  readonly socket: ServerSocket | null;
  /** Calls back once the answer to this message is on its way, for what must not come before it. */
  readonly afterAnswer?: (then: () => void) => void;
  /** For what may take long and costs nothing meanwhile: others of this connection are heard while it waits. */
  readonly aside?: <Result>(wait: () => Promise<Result>) => Promise<Result>;
};

/** JSON-RPC by POST, and, unless `websocket` is false, over a WebSocket on the same path. */
export type RpcRoute = {
  readonly kind: 'rpc';
  readonly path: string;
  readonly dispatch: Dispatch<Connection>;
  readonly policy: RpcPolicy;
  readonly websocket?: boolean;
  /** No key is asked for by POST: something in front of the listener has checked who asks, and it is this caller to us. */
  readonly caller?: Caller;
};

export type CalledRequest = HttpRequest & {
  /** Null where the route is open to everybody. */
  readonly caller: Caller | null;
  /** Aborts when whoever asked is gone, and when the listener stops. */
  readonly signal: AbortSignal;
};

export type PlainAnswer = {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export type GetRoute = {
  readonly kind: 'get';
  readonly path: string;
  /** The least role that may ask, or `open` for everybody. */
  readonly access: Role | 'open';
  /** `refused`: answered with 503 from `quiet` on, for what load balancers ask. */
  readonly when_quiet?: 'served' | 'refused';
  /** An error of ours is answered with the status of its code; anything else thrown is a 500 that tells nothing. */
  readonly answer: (request: CalledRequest) => PlainAnswer | Promise<PlainAnswer>;
};

/** Without `data` only the id is told: nothing happens at the peer, but it knows where to go on after a cut. */
export type StreamEvent = { readonly id?: string; readonly event?: string; readonly data?: string };

/** Server-sent events. The next event is asked for when the peer has room for it. */
export type StreamRoute = {
  readonly kind: 'stream';
  readonly path: string;
  readonly access: Role;
  /** What it throws before the first event is answered like that of a `get`. The events must end with the signal. */
  readonly open: (request: CalledRequest) => AsyncIterable<StreamEvent> | Promise<AsyncIterable<StreamEvent>>;
};

export type TreeRequest = CalledRequest & {
  readonly caller: Caller;
  readonly connection: Connection;
  /** What the body says; undefined where there is none. */
  readonly body: Json | undefined;
};

/** Many resources below one path, for everybody who is known; who may do what is for the route to say. */
export type TreeRoute = {
  readonly kind: 'tree';
  /** Such as `/api/v1`, without a slash at its end. */
  readonly path: string;
  /** No key is asked for: whoever asks has to prove itself to the route, and is a viewer called `anybody` to it. */
  readonly access?: 'open';
  /** The HTTP methods that are possible at a path; none where nothing is there. */
  readonly methodsAt: (path: string) => readonly string[];
  /** What there is, for those who ask in vain. */
  readonly there: (path: string) => readonly string[];
  /** What it throws is answered like that of a `get`. */
  readonly answer: (request: TreeRequest) => PlainAnswer | Promise<PlainAnswer>;
};

/** What a service outside sends by POST, of whatever type. No key is asked for: it has to prove itself to the route. */
export type HookRoute = {
  readonly kind: 'hook';
  readonly path: string;
  /** What it throws is answered like that of a `get`. */
  readonly answer: (request: HookRequest) => PlainAnswer | Promise<PlainAnswer>;
};

export type HookRequest = CalledRequest & { readonly body: Uint8Array };

export type Route = RpcRoute | GetRoute | StreamRoute | TreeRoute | HookRoute;

const ranks: Readonly<Record<Role, number>> = { viewer: 1, bridge: 1, operator: 2, admin: 3 };

export function mayAct(caller: Caller, needed: Role): boolean {
  return ranks[caller.role] >= ranks[needed];
}
