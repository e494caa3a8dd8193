import type { IncomingMessage, ServerResponse } from 'node:http';
import { idInHead } from '../id-in-head.ts';
import type { RpcId } from '../messages.ts';
import { announcedLength, isJson, readBody } from './body.ts';
import { overBounds } from './bounds.ts';
import type { ConnectionState } from './connections.ts';
import { sendNothing, sendText } from './http-answer.ts';
import { SMALL_BYTES } from './limits.ts';
import {
  inWordsOf,
  type Refusal,
  refusalOf,
  stopping,
  tooLarge,
  unauthenticated,
  wrongContentType,
} from './refusal.ts';
import { RequestView } from './request-view.ts';
import type { Connection, RpcRoute } from './route.ts';
import type { Shared } from './shared.ts';

type Exchange = {
  readonly shared: Shared;
  readonly route: RpcRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: ConnectionState;
};

/** JSON-RPC by POST: one body, one answer. */
export function servePost(shared: Shared, route: RpcRoute) {
  const { status, code } = route.policy.status.content_type;
  const wrongType = wrongContentType(status, code);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const state = shared.connections.of(request.socket);
    const refusal = isJson(request) ? tooMuch(shared, request, state) : wrongType;
    const exchange = { shared, route, request, response, state };
    if (refusal !== null) refuse(exchange, refusal);
    else void serve(exchange);
  };
}

function refuse({ shared, route, request, response }: Exchange, refusal: Refusal, id: RpcId = null): void {
  shared.refuse(request, response, inWordsOf(route.policy, refusal), 'rpc', id);
}

/** What can be said before the body is there. */
function tooMuch(shared: Shared, request: IncomingMessage, state: ConnectionState): Refusal | null {
  const { body_bytes } = shared.limits;
  const length = announcedLength(request);
  if (length > body_bytes) return tooLarge(body_bytes);
  const refusal = overBounds(shared, state);
  // Whoever hears that we stop should know which of its calls is meant, which a short body tells soon.
  return refusal === stopping && length > 0 && length <= SMALL_BYTES ? null : refusal;
}

async function serve(exchange: Exchange): Promise<void> {
  const { shared, request } = exchange;
  try {
    const view = new RequestView(request);
    const known = exchange.route.caller ?? shared.authenticate(view);
    const caller = known instanceof Promise ? await known : known;
    if (caller === null) return refuse(exchange, unauthenticated);
    const { headers, address } = view;
    await serveCaller(exchange, { caller, headers, address, socket: null });
  } catch (thrown) {
    shared.logger.error('a request could not be served', { error: String(thrown) });
    refuse(exchange, refusalOf(thrown));
  }
}

async function serveCaller(exchange: Exchange, connection: Connection): Promise<void> {
  const { shared, request, state } = exchange;
  const body = await readBody(request, shared.held, shared.limits.body_bytes);
  if (body.is === 'gone') return;
  if (body.is === 'refused') return refuse(exchange, body.refusal);
  const overBound = overBounds(shared, state);
  shared.connections.begin(state);
  try {
    if (overBound !== null) return refuse(exchange, overBound, idInHead(body.bytes) ?? null);
    await answer(exchange, body.bytes, connection);
  } finally {
    shared.held.give(body.held);
    shared.connections.end(state);
    shared.settled();
  }
}

async function answer(exchange: Exchange, bytes: Uint8Array, connection: Connection): Promise<void> {
  const { shared, route, response, state } = exchange;
  const { text, status } = await route.dispatch.handle(bytes, connection, state.signal);
  if (response.destroyed) return;
  if (shared.closing) response.setHeader('connection', 'close');
  if (text === null) sendNothing(response, status);
  else {
    sendText(response, status, text);
    await shared.taken(response, text.length);
  }
}
