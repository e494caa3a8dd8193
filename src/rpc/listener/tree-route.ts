import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../../core/json.ts';
import { defaultDispatchLimits } from '../dispatch.ts';
import { measure, textOf } from '../guard.ts';
import { whereItEnded } from '../refusals.ts';
import { announcedLength, isJson } from './body.ts';
import { overBounds } from './bounds.ts';
import { called, refuseThrown, sendPlain } from './get-route.ts';
import { isArriving } from './http-answer.ts';
import {
  notJson,
  type Refusal,
  tooLarge,
  tooManyParts,
  unauthenticated,
  wrongContentType,
} from './refusal.ts';
import { pathOf, RequestView } from './request-view.ts';
import type { Caller, TreeRoute } from './route.ts';
import type { Shared } from './shared.ts';
import { type BodyExchange, withBody, within } from './with-body.ts';

type Exchange = BodyExchange & { readonly route: TreeRoute };

const bodyMethods = ['POST', 'PUT', 'PATCH'];
const wrongType = wrongContentType(415, null);
const anybody: Caller = { name: 'anybody', role: 'viewer' };
/** Services name their JSON after what is in it. */
const someJson = /^application\/[\w.-]+\+json\s*(;|$)/i;

/** One request about one resource. `absent` says why there is nothing to ask, where that is so. */
export function serveTree(shared: Shared, route: TreeRoute, absent: (request: IncomingMessage) => Refusal) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const state = shared.connections.of(request.socket);
    const isThere = route.methodsAt(pathOf(request)).includes(request.method ?? '');
    const refusal = isThere ? tooMuch({ shared, route, request, state }) : absent(request);
    if (refusal !== null) shared.refuse(request, response, refusal, 'plain');
    else void serve({ shared, route, request, response, state });
  };
}

/** What can be said before the body is there. */
function tooMuch({ shared, route, request, state }: Omit<Exchange, 'response'>): Refusal | null {
  const { body_bytes } = shared.limits;
  if (!takesBody(request)) return overBounds(shared, state);
  if (announcedLength(request) > body_bytes) return tooLarge(body_bytes);
  return isArriving(request) && !mayRead(route, request) ? wrongType : overBounds(shared, state);
}

function mayRead({ access }: TreeRoute, request: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-encoding': packed } = request.headers;
  return isJson(request) || (access === 'open' && packed === undefined && someJson.test(type));
}

function takesBody({ method = '' }: IncomingMessage): boolean {
  return bodyMethods.includes(method);
}

async function serve(exchange: Exchange): Promise<void> {
  const { shared, request, response } = exchange;
  try {
    const caller =
      exchange.route.access === 'open' ? anybody : await shared.authenticate(new RequestView(request));
    if (caller === null) return shared.refuse(request, response, unauthenticated, 'plain');
    await serveCaller(exchange, caller);
  } catch (thrown) {
    refuseThrown(shared, request, response, thrown);
  }
}

async function serveCaller(exchange: Exchange, caller: Caller): Promise<void> {
  if (takesBody(exchange.request)) await withBody(exchange, (bytes) => answer(exchange, caller, bytes));
  else await within(exchange, () => answer(exchange, caller, new Uint8Array()));
}

async function answer(exchange: Exchange, caller: Caller, bytes: Uint8Array): Promise<void> {
  const { shared, route, request, response, state } = exchange;
  const read = bytes.length === 0 ? { json: undefined } : readJson(bytes);
  if ('status' in read) return shared.refuse(request, response, read, 'plain');
  const asked = called(request, caller, state.signal);
  const { headers, address } = asked;
  const connection = { caller, headers, address, socket: null };
  await sendPlain(shared, response, await route.answer({ ...asked, caller, connection, body: read.json }));
}

/** Counted on the bytes before anything is built of them. */
function readJson(bytes: Uint8Array): { readonly json: Json } | Refusal {
  if (measure(bytes, defaultDispatchLimits.max_depth) < 0)
    return tooManyParts(defaultDispatchLimits.max_depth);
  try {
    return { json: JSON.parse(textOf(bytes)) as Json };
  } catch (thrown) {
    return notJson(whereItEnded(thrown));
  }
}
