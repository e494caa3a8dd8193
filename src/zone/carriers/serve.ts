import { isObject, own } from '../../core/json.ts';
import { TOO_LARGE_HINT } from '../../core/limits.ts';
import type { Dispatch } from '../../rpc/dispatch.ts';
import { bytesOf } from '../../rpc/guard.ts';
import { type Caller, type Connection, mayAct, type Role } from '../../rpc/listener/route.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';
import type { RpcPolicy } from '../../rpc/policy.ts';
import type { Endpoint } from '../carrier.ts';
import { type ZoneErrorName, zoneError, zoneErrors } from '../contract/errors.ts';
import { readRequest } from '../contract/request.ts';
import { writeError } from '../contract/response.ts';

/** What is said of a body that nobody read. */
export const unread = {
  too_large: zoneError('too_large', { reason: 'it has more bytes than are read here', hint: TOO_LARGE_HINT }),
  binary: zoneError('invalid_request', { reason: 'a message is text, not bytes' }),
};

/** What the listener refuses by itself, in the table of the contract. */
function refused(status: number, { message, data }: RpcErrorObject): RpcErrorObject {
  const wait = isObject(data) ? own(data, 'retry_after_ms') : undefined;
  const retry_after_ms = typeof wait === 'number' ? { retry_after_ms: wait } : {};
  return zoneError(refusedAs[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'), {
    reason: message,
    ...retry_after_ms,
  });
}

const refusedAs: Readonly<Record<number, ZoneErrorName>> = {
  401: 'forbidden',
  403: 'forbidden',
  429: 'overloaded',
  503: 'unavailable',
};

/** One request to a body and one response to each, with 200 wherever the zone was asked: what went wrong stands in the response. */
export const zonePolicy: RpcPolicy = {
  batch: 'refused',
  missing_id: 'answered',
  null_id: 'refused',
  null_params: 'refused',
  invalid_request_id: 'null',
  unread,
  refused,
  status: {
    answer: 200,
    nothing: 200,
    codes: new Map(),
    batch_refused: 200,
    content_type: { status: 415, code: zoneErrors.invalid_request.code },
  },
};

/** Who may have tasks run. */
const NEEDED: Role = 'operator';

export type ServedEndpoint = {
  readonly endpoint: Endpoint;
  /** Aborts when the server stops: whoever waits for a result is told that it was accepted. */
  readonly stopping: AbortSignal;
};

/** The endpoint as the listener and the streams of a process hand bodies to it. */
export function dispatchTo<Context extends Partial<Connection>>({
  endpoint,
  stopping,
}: ServedEndpoint): Dispatch<Context> {
  // A connection that is kept brings the same signal with each of its requests.
  const ends = new WeakMap<AbortSignal, AbortSignal>();
  const endOf = (gone: AbortSignal) => {
    const known = ends.get(gone) ?? AbortSignal.any([gone, stopping]);
    ends.set(gone, known);
    return known;
  };
  return {
    handle: async (body, context, gone) => {
      const { caller, aside = (wait) => wait() } = context;
      const theirs = caller === undefined ? endpoint : endpointFor(caller, endpoint);
      const asked = { signal: endOf(gone), caller: shownBy(caller) };
      return { text: await aside(() => theirs(bytesOf(body), asked)), status: 200 };
    },
  };
}

/** The endpoint as it is to somebody who is known. Where nobody is, whoever has the endpoint may use it. */
export function endpointFor(caller: Caller, endpoint: Endpoint): Endpoint {
  return mayAct(caller, NEEDED) ? endpoint : async (body) => forbidden(body);
}

/** As the listener and the route of AgentCore call those from whom nobody wants a key. */
const showsNothing: readonly string[] = ['local', 'agentcore'];

function shownBy(caller: Caller | undefined): string | null {
  return caller === undefined || showsNothing.includes(caller.name) ? null : caller.name;
}

function forbidden(body: Uint8Array): string {
  const read = readRequest(body);
  const id = 'request' in read ? read.request.id : read.refusal.id;
  return writeError({ id, error: zoneError('forbidden', { reason: `this needs the role ${NEEDED}` }) });
}
