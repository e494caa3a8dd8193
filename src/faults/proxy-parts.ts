import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Plan } from './plan.ts';

export type ProxyTls = {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
};

export type FaultProxyParts = {
  /** http, https, ws or wss: where requests go on to. */
  readonly target: URL;
  /** Asked for with every request: certificates may be renewed. */
  readonly tls?: (() => ProxyTls) | undefined;
  /** What happens to the next answer. */
  readonly plan: () => Plan;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Bytes of one answer that are held; more would be refused by whoever asked. */
  readonly max_answer: number;
  /** Where the target itself could not be reached. */
  readonly failed: (error: Error) => void;
};

/** Makes the same request to the target. */
export type Outward = (asked: IncomingMessage) => ClientRequest;

/** Headers that speak of one connection, or of how the body is written there. */
export const ofOneConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'trailer',
]);
