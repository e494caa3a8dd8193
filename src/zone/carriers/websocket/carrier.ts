import { WebSocket } from 'ws';
import { GleitzeitError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { Timers } from '../../../core/ports/clock.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Random } from '../../../core/ports/random.ts';
import type { HttpTls } from '../../../rpc/http/connect.ts';
import { defaultBackoff } from '../../../rpc/websocket/backoff.ts';
import { Link } from '../../../rpc/websocket/link.ts';
import { type Carrier, CarrierError, type CarrierTrouble } from '../../carrier.ts';
import { Exchanges, textIdOf } from '../exchanges.ts';
import { aborted, carrierTrouble, closed, requireSize, troubleOfStatus, unreadable } from '../trouble.ts';

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
    received: (message) => {
      if (message.length <= max_bytes) exchanges.received(message);
      else exchanges.refused(textIdOf(message), unreadable(NAME));
    },
    cut: (error) => failedBy(error, exchanges),
    connected: () => {},
  });
  return {
    name: NAME,
    send: async (body, { signal }) => {
      if (over) throw closed(NAME, 'no');
      if (signal.aborted) throw aborted(NAME, 'no');
      requireSize(NAME, body, max_bytes);
      return exchanges.open(body, signal, async (text, wanted) => {
        const { socket } = await opened(link, () => over);
        if (wanted()) socket.send(text);
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
    const status = statusIn(thrown);
    const said = status === null ? trouble : troubleOfStatus(status)[0];
    throw new CarrierError(message, { trouble: said, arrived: 'no' }, thrown);
  }
}

/** Of an HTTP answer that came instead of a WebSocket. */
function statusIn(thrown: unknown): number | null {
  const details = thrown instanceof GleitzeitError ? thrown.details.details : undefined;
  const status = isObject(details) ? details['http_status'] : undefined;
  return typeof status === 'number' ? status : null;
}

/** One that is too large for either side ends the connection for all, but only its own exchange for good. */
function failedBy({ code, message }: GleitzeitError, exchanges: Exchanges): void {
  const said = (trouble: CarrierTrouble, arrived: 'no' | 'maybe') =>
    new CarrierError(`${NAME}: ${message}`, { trouble, arrived });
  if (code === 'GLZ2010') exchanges.failLargest(said('too_large', 'no'));
  else if (code === 'GLZ2005') exchanges.refused(null, unreadable(NAME));
  else exchanges.failAll(said('unreachable', 'maybe'));
}

type Opening = Pick<WebSocketCarrierOptions, 'key' | 'tls'> & { readonly max_bytes: number };

function socketOptions({ max_bytes, key, tls }: Opening) {
  const secret = key?.();
  const shown = typeof tls === 'function' ? tls() : tls;
  return {
    perMessageDeflate: false,
    closeTimeout: 2000,
    // What is larger than may be is read, so that it is refused alone; what is much larger ends the connection.
    maxPayload: max_bytes * 2,
    headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    ...(shown === undefined ? {} : { minVersion: 'TLSv1.2' as const, ...shown }),
  };
}
