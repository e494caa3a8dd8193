import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { RpcId } from '../messages.ts';
import { Connections } from './connections.ts';
import { HeldBytes } from './held.ts';
import { discard, type Envelope, endLater, isArriving, sendRefusal } from './http-answer.ts';
import { type ListenerLimits, SMALL_BYTES } from './limits.ts';
import { Pulse } from './pulse.ts';
import type { Refusal } from './refusal.ts';
import type { Authenticate } from './request-view.ts';
import type { Caller } from './route.ts';

export type SharedParts = {
  readonly limits: ListenerLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly authenticate: Authenticate;
};

/** Something that lasts longer than a request, and has to be told when the listener stops. */
export type Lasting = {
  /** Whom it is for; null while that is not known, or of no interest. */
  readonly caller: Caller | null;
  finish(): void;
  destroy(): void;
};

/** What all routes of one listener share: the bounds, what is counted against them, and whether it still serves. */
export class Shared {
  readonly limits: ListenerLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly authenticate: Authenticate;
  readonly held: HeldBytes;
  readonly pulse: Pulse;
  readonly connections = new Connections();
  readonly sockets = new Set<Lasting>();
  readonly streams = new Set<Lasting>();
  readonly refused = new Map<number, number>();
  quiet = false;
  /** No answer keeps its connection any more. */
  closing = false;
  /** Called whenever something that `stop` waits for may have ended. */
  settled: () => void = () => {};

  constructor({ limits, logger, clock, timers, authenticate }: SharedParts) {
    this.limits = limits;
    this.logger = logger;
    this.clock = clock;
    this.timers = timers;
    this.authenticate = authenticate;
    this.held = new HeldBytes(limits.held_bytes);
    this.pulse = new Pulse(timers, limits.pulse_ms);
  }

  /** From now on no calls are taken. */
  beQuiet(): void {
    if (!this.quiet) this.logger.info('the server is stopping: it takes no more calls');
    this.quiet = true;
  }

  count(refusal: Refusal): void {
    this.refused.set(refusal.status, (this.refused.get(refusal.status) ?? 0) + 1);
  }

  /** `id`: that of the call, where it is known. */
  refuse(
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal,
    envelope: Envelope,
    id: RpcId = null,
  ): void {
    this.count(refusal);
    if (response.destroyed) return;
    const last = this.closing || !response.shouldKeepAlive;
    const arriving = isArriving(request);
    if (last && arriving) endLater(request, response);
    else if (last) response.setHeader('connection', 'close');
    if (arriving) request.once('end', () => this.settled());
    discard(request, this.limits.body_bytes * 4);
    sendRefusal(response, refusal, { envelope, id });
  }

  /** A large answer counts until it is taken. The timer of the socket starts anew with every byte that leaves. */
  taken(response: ServerResponse, bytes: number): Promise<void> {
    if (bytes <= SMALL_BYTES || response.closed) return Promise.resolve();
    this.held.add(bytes);
    return new Promise((resolve) => {
      response.setTimeout(this.limits.pulse_ms * 2, () => response.destroy());
      response.once('close', () => {
        this.held.give(bytes);
        resolve();
      });
    });
  }
}
