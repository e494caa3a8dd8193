import { GleitzeitError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { type HttpResponse, webClient } from '../../../rpc/http/client.ts';
import type { ConnectOptions } from '../../../rpc/http/connect.ts';
import { retryAfter } from '../../../rpc/http/retry-after.ts';
import type { AddressGuard } from '../../../rpc/network/guard.ts';
import { type Carrier, CarrierError } from '../../carrier.ts';
import { defaultRetries, type PatienceParts, type Retries, sendPatiently } from '../patience.ts';
import { aborted, carrierTrouble, closed, requireSize, troubleOfStatus } from '../trouble.ts';

export type HttpsCarrierOptions = ConnectOptions &
  Omit<PatienceParts, 'retries'> & {
    /** Where the contract is served: `https://zone.example.org/zone`. */
    readonly url: string;
    /** Shown as `Authorization: Bearer`; asked for with every request, since it may change. */
    readonly key?: (() => string | undefined) | undefined;
    readonly retries?: Partial<Retries> | undefined;
    /** Bytes of a request, and of a response. */
    readonly max_bytes?: number | undefined;
    readonly connections?: number;
    readonly clock: Clock;
  };

const NAME = 'https';
const MAX_BYTES = 32 * 1024 * 1024;
/** A zone may take its time: only the caller's signal ends a request. */
const BODY_TIMEOUT_MS = 900_000;

/** The request as the body of a POST, over connections that are kept. Redirects are not followed. */
export function httpsCarrier(options: HttpsCarrierOptions): Carrier {
  const { max_bytes = MAX_BYTES, key = () => undefined, timers, random, clock } = options;
  const url = new URL(options.url);
  const client = webClient({
    ...options,
    redirects: 0,
    guard: nowhereElse,
    body_timeout_ms: BODY_TIMEOUT_MS,
  });
  const ending = new AbortController();
  const retries = { ...defaultRetries, ...options.retries };

  async function attempt(body: string, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw ending.signal.aborted ? closed(NAME, 'no') : aborted(NAME, 'no');
    const secret = key();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    };
    try {
      const request = { method: 'POST', url, headers, body, signal, max_bytes };
      return textOf(await client.request(request), clock);
    } catch (thrown) {
      if (ending.signal.aborted) throw closed(NAME, 'maybe');
      throw carrierTrouble(NAME, thrown);
    }
  }

  return {
    name: NAME,
    send: async (body, { signal }) => {
      requireSize(NAME, body, max_bytes);
      const either = AbortSignal.any([signal, ending.signal]);
      return sendPatiently({ retries, timers, random }, either, () => attempt(body, either));
    },
    close: async () => {
      ending.abort();
      await client.close();
    },
  };
}

/** The one address that is called stands in the configuration. */
const nowhereElse: AddressGuard = {
  checkUrl: ({ host }) => {
    throw new GleitzeitError('GLZ2010', `${host} is not the other zone`);
  },
  addressesOf: async (hostname) => {
    throw new GleitzeitError('GLZ2010', `${hostname} is not the other zone`);
  },
};

/** Whatever the contract has to say comes with 200. */
function textOf({ status, headers, body }: HttpResponse, clock: Clock): string {
  if (status === 200) return body.toString('utf8');
  const [trouble, arrived] = troubleOfStatus(status);
  const retry_after_ms = retryAfter(headers['retry-after'], () => clock.wall());
  const details = { trouble, arrived, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) };
  throw new CarrierError(`${NAME}: the other zone answered with HTTP ${status}`, details);
}
