import type { IncomingMessage, ServerResponse } from 'node:http';
import { GleitzeitError } from '../../core/errors.ts';
import { sendNothing } from './http-answer.ts';
import { forbidden, type Refusal, refusalOf, stopping, tooManyRequests, unauthenticated } from './refusal.ts';
import { RequestView } from './request-view.ts';
import {
  type CalledRequest,
  type Caller,
  type GetRoute,
  mayAct,
  type PlainAnswer,
  type Role,
} from './route.ts';
import type { Shared } from './shared.ts';

/** One question, one answer. */
export function serveGet(shared: Shared, route: GetRoute) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (shared.quiet && route.when_quiet === 'refused') shared.refuse(request, response, stopping, 'plain');
    else if (shared.connections.working >= shared.limits.requests)
      shared.refuse(request, response, tooManyRequests, 'plain');
    else void serve(shared, route, request, response);
  };
}

async function serve(
  shared: Shared,
  route: GetRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const state = shared.connections.of(request.socket);
  shared.connections.begin(state);
  try {
    const caller = await admit(shared, request, route.access);
    if (isRefusal(caller)) shared.refuse(request, response, caller, 'plain');
    else await sendPlain(shared, response, await route.answer(called(request, caller, state.signal)));
  } catch (thrown) {
    refuseThrown(shared, request, response, thrown);
  } finally {
    shared.connections.end(state);
    shared.settled();
  }
}

/** Whoever asks, if they may; null where everybody may. */
export async function admit(
  shared: Shared,
  request: IncomingMessage,
  access: Role | 'open',
): Promise<Caller | null | Refusal> {
  if (access === 'open') return null;
  const caller = await shared.authenticate(new RequestView(request));
  if (caller === null) return unauthenticated;
  return mayAct(caller, access) ? caller : forbidden(access);
}

export function isRefusal(admitted: Caller | null | Refusal): admitted is Refusal {
  return admitted !== null && 'status' in admitted;
}

export function called(request: IncomingMessage, caller: Caller | null, signal: AbortSignal): CalledRequest {
  const { method, path, query, headers, address } = new RequestView(request);
  return { method, path, query, headers, address, caller, signal };
}

export function refuseThrown(
  shared: Shared,
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
): void {
  if (!(thrown instanceof GleitzeitError))
    shared.logger.error('a request could not be served', { error: String(thrown) });
  shared.refuse(request, response, refusalOf(thrown), 'plain');
}

export async function sendPlain(
  shared: Shared,
  response: ServerResponse,
  answer: PlainAnswer,
): Promise<void> {
  const { status, type, body, headers } = answer;
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (shared.closing) response.setHeader('connection', 'close');
  if (status === 204) return sendNothing(response, status);
  response.setHeader('content-type', type);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.setHeader('x-content-type-options', 'nosniff');
  response.writeHead(status);
  response.end(body);
  await shared.taken(response, body.length);
}
