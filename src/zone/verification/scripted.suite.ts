import type { Json, JsonObject } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import { type Carrier, CarrierError } from '../carrier.ts';
import type { Authorise } from './authorise.ts';
import type { RateLimits } from './rate-limits.ts';
import { sentences } from './sentences.ts';
import { VerificationZone } from './zone.ts';

export const bot_token = 'xoxb-kept-to-itself';
export const asked = {
  id: '6f1c9a52-6d0e-4c39-9c0e-0a4b8b1d2c3d',
  request: { channel: 'C1', text: 'hello', correlation_id: 'Ev1', user_id: 'U1' },
  received_at: 0,
};

export type Sent = { readonly id: string; readonly method: string; readonly params: JsonObject };
export type Said = { readonly result: Json } | { readonly error: Json } | CarrierError;
type Script = (sent: Sent, count: number) => Said | Promise<Said>;

export function openScripted(
  script: Script,
  more: {
    authorise?: Authorise[];
    limits?: RateLimits;
    deadline_ms?: number;
    request_bytes?: number;
    longest_reply?: number;
    timers?: Timers;
    send?: Carrier['send'];
  } = {},
) {
  const sent: Sent[] = [];
  const logger = rememberingLogger();
  const carrier: Carrier = {
    name: 'scripted',
    close: async () => {},
    send: async (body, { signal }) => {
      const message = JSON.parse(body) as Sent;
      sent.push(message);
      const gone = new Promise<never>((_, reject) => {
        const stop = () => reject(new CarrierError('gone', { trouble: 'aborted', arrived: 'maybe' }));
        signal.addEventListener('abort', stop, { once: true });
      });
      const said = await Promise.race([script(message, sent.length), gone]);
      if (said instanceof CarrierError) throw said;
      return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...said });
    },
    ...(more.send === undefined ? {} : { send: more.send }),
  };
  const { authorise = [], deadline_ms = 60_000, request_bytes = 10_000, longest_reply = 1000 } = more;
  const { timers = systemTimers } = more;
  const zone = new VerificationZone({
    ...{ carrier, authorise, limits: more.limits, logger, timers },
    clock: { wall: () => 0, monotonic: () => performance.now() },
    random: { next: () => 0, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    options: {
      ...{ bot_token, deadline_ms, request_bytes, longest_reply, budget_ms: 10, sentences },
      backoff: { first_ms: 1, longest_ms: 2 },
    },
  });
  return { zone, sent, logger };
}

/** Time passes at once, for those waits that are let; every wait that was asked for stands in `asked`. */
export function jumpingTimers(let_pass: (ms: number) => boolean): Timers & { readonly asked: number[] } {
  const asked: number[] = [];
  const after: Timers['after'] = (ms, call) => {
    asked.push(ms);
    const timer = let_pass(ms) ? setImmediate(call) : undefined;
    return () => clearImmediate(timer);
  };
  return { ...systemTimers, asked, after };
}

export const never = () => new AbortController().signal;
export const done = { result: { status: 'success', response_text: 'yes' } };
