import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { createDispatch, type Dispatch, defaultDispatchLimits, type MethodHandler } from '../dispatch.ts';
import { RpcFailure } from '../messages.ts';
import { sendRawRefusal } from './http-answer.ts';
import { REFUSED_ALONE } from './limits.ts';
import {
  inWordsOf,
  malformed,
  nothingThere,
  type Refusal,
  refusalOf,
  stopping,
  tooManySockets,
  unauthenticated,
} from './refusal.ts';
import { pathOf, RequestView } from './request-view.ts';
import type { Caller, Connection, RpcRoute } from './route.ts';
import type { Shared } from './shared.ts';
import { SocketSession } from './socket-session.ts';

type Served = {
  readonly route: RpcRoute;
  readonly refusing: Dispatch<Connection>;
  readonly server: WebSocketServer;
};

/** Requests that want to become WebSockets. */
export class Upgrades {
  readonly #shared: Shared;
  readonly #served = new Map<string, Served>();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  add(route: RpcRoute): void {
    const shared = this.#shared;
    const refusing = refusingDispatch(shared, route);
    this.#served.set(route.path, { route, refusing, server: openServer(shared, route) });
  }

  /** `refusal` is what admission says already. */
  accept(request: IncomingMessage, carrier: Socket, head: Buffer, refusal: Refusal | null): void {
    carrier.on('error', () => carrier.destroy());
    const path = pathOf(request);
    const served = this.#served.get(path);
    const paths = [...this.#served.keys()].map((each) => `a WebSocket at ${each}`);
    if (refusal !== null) this.#refuse(carrier, refusal);
    else if (served === undefined) this.#refuse(carrier, nothingThere(path, paths));
    else if (this.#shared.quiet) this.#refuse(carrier, stopping);
    else if (this.#shared.sockets.size >= this.#shared.limits.sockets) this.#refuse(carrier, tooManySockets);
    else void this.#open(served, request, carrier, head);
  }

  async #open(served: Served, request: IncomingMessage, carrier: Socket, head: Buffer): Promise<void> {
    try {
      const caller = await this.#shared.authenticate(new RequestView(request));
      if (caller === null) this.#refuse(carrier, unauthenticated);
      else if (this.#shared.quiet) this.#refuse(carrier, stopping);
      else
        served.server.handleUpgrade(request, carrier, head, (socket) =>
          this.#begin(served, request, carrier, { socket, caller }),
        );
    } catch (thrown) {
      this.#shared.logger.error('a WebSocket could not be opened', { error: String(thrown) });
      this.#refuse(carrier, refusalOf(thrown));
    }
  }

  #begin(
    { route, refusing }: Served,
    request: IncomingMessage,
    carrier: Socket,
    { socket, caller }: { socket: WebSocket; caller: Caller },
  ): void {
    const { headers } = request;
    const address = carrier.remoteAddress ?? '';
    const { dispatch, policy } = route;
    const parts = { shared: this.#shared, socket, carrier, dispatch, refusing, policy };
    new SocketSession({ ...parts, caller: { caller, headers, address } });
  }

  #refuse(carrier: Socket, refusal: Refusal): void {
    this.#shared.count(refusal);
    sendRawRefusal(carrier, refusal);
  }
}

function openServer({ limits }: Shared, { policy }: RpcRoute): WebSocketServer {
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.body_bytes * (policy.unread === undefined ? 1 : REFUSED_ALONE),
    closeTimeout: 2000,
  };
  const server = new WebSocketServer(options);
  server.on('wsClientError', (_, carrier) => sendRawRefusal(carrier, malformed));
  return server;
}

/** Answers every call with the same error, by the rules of its endpoint. */
function refusingDispatch(shared: Shared, { policy }: RpcRoute): Dispatch<Connection> {
  const { logger, clock } = shared;
  const methods = new EveryMethod(new RpcFailure(inWordsOf(policy, stopping).error));
  return createDispatch({ methods, policy, limits: defaultDispatchLimits, logger, clock });
}

class EveryMethod extends Map<string, MethodHandler<Connection>> {
  readonly #failure: RpcFailure;

  constructor(failure: RpcFailure) {
    super();
    this.#failure = failure;
  }

  override get(): MethodHandler<Connection> {
    return () => this.#failure;
  }
}
