import type { Address } from './address.ts';
import type { SingleCall } from './caller.ts';
import type { HttpCaller } from './http.ts';
import { isObject } from './messages.ts';
import type { OpenPipe, Pipe, PipeReceiver } from './pipe.ts';
import { unreachable } from './problems.ts';
import type { WebSocketClass } from './web.ts';

export type WebSocketParts = {
  readonly address: Address;
  readonly WebSocket: WebSocketClass;
  readonly caller: HttpCaller;
  readonly needsTicket: boolean;
};

const ticketCall: SingleCall = { method: 'auth.ticket', repeatable: true };
const infoCall: SingleCall = { method: 'system.info', repeatable: true };
const NORMAL = 1000;

/**
 * Pipes over WebSockets. Browsers send no key there, so that a ticket stands for it, and do not tell why one was refused,
 * so that the server is asked by other means.
 */
export function webSocketPipes({ address, WebSocket, caller, needsTicket }: WebSocketParts): OpenPipe {
  return async (receiver, signal) => {
    const ticket = needsTicket ? await ticketOf(caller, signal) : null;
    const query = ticket === null ? '' : `?ticket=${encodeURIComponent(ticket)}`;
    signal.throwIfAborted();
    try {
      return await openSocket(new WebSocket(`${address.socket}${query}`), receiver, signal);
    } catch {
      await caller.once(infoCall, signal);
      throw unreachable(address.http, 'it answers calls, but opens no WebSocket');
    }
  };
}

async function ticketOf(caller: HttpCaller, signal: AbortSignal): Promise<string | null> {
  const answer = await caller.once(ticketCall, signal);
  const ticket = isObject(answer) ? answer['ticket'] : null;
  return typeof ticket === 'string' ? ticket : null;
}

function openSocket(
  socket: InstanceType<WebSocketClass>,
  receiver: PipeReceiver,
  signal: AbortSignal,
): Promise<Pipe> {
  const { promise, resolve, reject } = Promise.withResolvers<Pipe>();
  const close = () => socket.close(NORMAL);
  signal.addEventListener('abort', close);
  let open = false;
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    signal.removeEventListener('abort', close);
    if (open) receiver.closed(reason);
    else reject(new Error(reason));
  };
  socket.addEventListener('open', () => {
    open = true;
    signal.removeEventListener('abort', close);
    resolve({ send: (text) => socket.send(text), close });
  });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') receiver.message(data);
  });
  // Not everywhere does the end follow an error.
  socket.addEventListener('error', () => end('the connection failed'));
  socket.addEventListener('close', ({ code, reason }) =>
    end(reason === '' ? `the connection was lost (${code})` : `${reason} (${code})`),
  );
  return promise;
}
