import { WebSocket } from 'ws';
import type { Timers } from '../../../core/ports/clock.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Random } from '../../../core/ports/random.ts';
import type { HttpTls } from '../../../rpc/http/connect.ts';
import { defaultBackoff } from '../../../rpc/websocket/backoff.ts';
import { Link } from '../../../rpc/websocket/link.ts';
import { type Carrier, CarrierError } from '../../carrier.ts';
import { Exchanges } from '../exchanges.ts';
import { aborted, carrierTrouble, closed, requireSize } from '../trouble.ts';

export type WebSocketCarrierOptions = {
  /** Where the contract is served: `wss://zone.example.org/zone`. */
  readonly url: string;
  /** Shown as `Authorization: Bearer` when the connection is made. */
  readonly key?: (() => string | undefined) | undefined;
  readonly tls?: HttpTls | (() => HttpTls) | undefined;
  readonly max_bytes?: number | undefined;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
};

const NAME = 'websocket';
const CONNECT_MS = 10_000;
const PING_MS = 20_000;

/** One connection for all requests, made when first needed and again when it is gone. */
export function websocketCarrier(options: WebSocketCarrierOptions): Carrier {
  const { max_bytes = 32 * 1024 * 1024, key = () => undefined, tls, timers, random, logger } = options;
  const url = new URL(options.url);
  const exchanges = new Exchanges(NAME);
  let over = false;
  const link = new Link({
    peer: `${url.protocol}//${url.host}${url.pathname}`,
    credentials: null,
    connect: () => new WebSocket(url, socketOptions({ max_bytes, key, tls })),
    connect_timeout_ms: CONNECT_MS,
    ping_ms: PING_MS,
    backoff: defaultBackoff,
    ...{ timers, random, logger },
    received: (message) => exchanges.received(message),
    cut: (error) => exchanges.failAll(cut(error.message)),
    connected: () => {},
  });
  return {
    name: NAME,
    send: async (body, { signal }) => {
      if (over) throw closed(NAME, 'no');
      if (signal.aborted) throw aborted(NAME, 'no');
      requireSize(NAME, body, max_bytes);
      return exchanges.open(body, signal, async (text) => {
        const { socket } = await opened(link, () => over);
        if (!signal.aborted) socket.send(text);
      });
    },
    close: async () => {
      over = true;
      exchanges.failAll(closed(NAME, 'maybe'));
      await link.close();
    },
  };
}

async function opened(link: Link, isOver: () => boolean) {
  try {
    return await link.open();
  } catch (thrown) {
    if (isOver()) throw closed(NAME, 'no');
    const { message, trouble } = carrierTrouble(NAME, thrown);
    const refused = /401|403/.test(message);
    const said = refused ? 'unauthenticated' : trouble === 'too_large' ? 'unreachable' : trouble;
    throw new CarrierError(message, { trouble: said, arrived: 'no' }, thrown);
  }
}

function cut(reason: string): CarrierError {
  return new CarrierError(`${NAME}: ${reason}`, { trouble: 'unreachable', arrived: 'maybe' });
}

type Opening = Required<Pick<WebSocketCarrierOptions, 'max_bytes' | 'key' | 'tls'>>;

function socketOptions({ max_bytes, key, tls }: Opening) {
  const secret = key?.();
  const shown = typeof tls === 'function' ? tls() : tls;
  return {
    perMessageDeflate: false,
    closeTimeout: 2000,
    maxPayload: max_bytes,
    headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    ...(shown === undefined ? {} : { minVersion: 'TLSv1.2' as const, ...shown }),
  };
}
