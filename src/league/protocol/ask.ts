import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import { asker } from '../../rpc/http/ask.ts';
import { type HttpChannelOptions, httpChannel } from '../../rpc/http/channel.ts';
import { lookAt } from '../../rpc/http/look.ts';
import { addressGuard } from '../../rpc/network/guard.ts';
import { troubleWithAnswer } from './check-payload.ts';
import { type Envelope, METHOD } from './envelope.ts';
import { isFaultName } from './faults.ts';
import type { RequestType } from './messages.ts';
import type { AnswerOf } from './payloads.ts';
import { tokensIn, withoutTokens } from './redact.ts';

/** A question on its way out. The id stays the same when it is asked again, so that it is done once. */
export type OutgoingQuestion<Type extends RequestType = RequestType> = {
  readonly id: string;
  readonly envelope: Envelope & { readonly message_type: Type };
  readonly payload: JsonObject;
};

/** What an agent said. `refused` in the words of its error; `error_code` null where it has no name of the league. */
export type AgentAnswer<Type extends RequestType = RequestType> =
  | { readonly is: 'answered'; readonly payload: AnswerOf<Type>; readonly response: JsonObject }
  | {
      readonly is: 'refused';
      readonly code: number;
      readonly error_code: string | null;
      readonly details: string;
      readonly response: JsonObject;
    };

export type AskOptions = { readonly timeout_ms: number; readonly signal?: AbortSignal | undefined };

/** Asks agents at their endpoints. */
export interface AgentLines {
  /**
   * Rejects with an error of ours where no answer came: GLZ2002 it could not be carried, GLZ2003 not in time, GLZ2005 what
   * came is no answer of the league.
   */
  ask<Type extends RequestType>(
    endpoint_url: string,
    question: OutgoingQuestion<Type>,
    options: AskOptions,
  ): Promise<AgentAnswer<Type>>;
  /** Whether anybody answers at its address. Never rejects. */
  isThere(endpoint_url: string, timeout_ms: number): Promise<boolean>;
  /** The matches that a referee says it has, by its `/status`; null where it does not say. Never rejects. */
  matchesOf(endpoint_url: string, timeout_ms: number): Promise<readonly string[] | null>;
  close(): Promise<void>;
}

export type AgentLinesParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly tls?: HttpChannelOptions['tls'];
};

/** No message of the league is larger. */
const MAX_ANSWER = 1024 * 1024;
/** Connections to so many agents stay open; whoever was asked longest ago is let go. */
const MOST_LINES = 512;

export function agentLines(parts: AgentLinesParts): AgentLines {
  const open = new Map<string, Channel>();

  function lineTo(url: string): Channel {
    const line = open.get(url) ?? httpChannel(lineOptions(parts, url));
    open.delete(url);
    open.set(url, line);
    for (const [oldest, unused] of open) {
      if (open.size <= MOST_LINES) break;
      open.delete(oldest);
      void unused.close();
    }
    return line;
  }

  return {
    ask: async (endpoint_url, question, options) => {
      const { id, envelope, payload } = question;
      const end = within(parts.timers, options);
      try {
        const params = { envelope: { ...envelope }, payload };
        const line = lineTo(endpointOf(endpoint_url));
        return readAnswer(question, await line.call({ id, method: METHOD, params, signal: end.signal }));
      } catch (thrown) {
        throw withoutTokensIn(question, GleitzeitError.from(thrown, 'GLZ2002'));
      } finally {
        end.over();
      }
    },
    isThere: async (endpoint_url, timeout_ms) => {
      const end = within(parts.timers, { timeout_ms });
      try {
        const { tls } = parts;
        await lookAt(new URL(endpoint_url), tls === undefined ? {} : { tls })('/health', end.signal);
        return true;
      } catch {
        return false;
      } finally {
        end.over();
      }
    },
    matchesOf: async (endpoint_url, timeout_ms) => {
      const end = within(parts.timers, { timeout_ms });
      try {
        return matchesIn(await statusOf(parts, new URL('/status', endpoint_url), end.signal));
      } catch {
        return null;
      } finally {
        end.over();
      }
    },
    close: async () => {
      const lines = [...open.values()];
      open.clear();
      await Promise.all(lines.map((line) => line.close()));
    },
  };
}

/** Rare, so it has a connection of its own. */
async function statusOf({ tls }: AgentLinesParts, url: URL, signal: AbortSignal): Promise<Json> {
  const over = asker({
    home: url,
    credentials: null,
    guard: addressGuard(),
    ...(tls === undefined ? {} : { tls }),
  });
  try {
    const how = { method: 'GET', url, headers: {}, body: null, signal, max_bytes: MAX_ANSWER };
    const { status, body } = await over.ask(how);
    return status === 200 ? (JSON.parse(Buffer.from(body).toString()) as Json) : null;
  } finally {
    await over.close();
  }
}

function matchesIn(status: Json): readonly string[] | null {
  const matches = isObject(status) ? status['matches'] : null;
  return Array.isArray(matches) ? matches.map(String) : null;
}

function lineOptions({ clock, timers, tls }: AgentLinesParts, url: string): HttpChannelOptions {
  const limits = { connections: 8, max_answer_bytes: MAX_ANSWER, max_depth: 64, connect_timeout_ms: 5000 };
  return { url, ...limits, wall: () => clock.wall(), timers, ...(tls === undefined ? {} : { tls }) };
}

/** Agents give their address with or without the path that all of them have. */
export function endpointOf(endpoint_url: string): string {
  const url = URL.parse(endpoint_url);
  if (url === null || url.pathname !== '/') return endpoint_url;
  return `${url.origin}/mcp`;
}

function within(timers: Timers, { timeout_ms, signal }: AskOptions) {
  const late = new AbortController();
  const cancel = timers.after(timeout_ms, () =>
    late.abort(new GleitzeitError('GLZ2003', `no answer within ${timeout_ms / 1000} s`)),
  );
  const both = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
  return { signal: both, over: cancel };
}

/** An envelope of the answer may be anything, the question's own included: the id says what it answers. */
function readAnswer<Type extends RequestType>(
  { id, envelope }: OutgoingQuestion<Type>,
  answer: RpcAnswer,
): AgentAnswer<Type> {
  if ('error' in answer) {
    const { code, message, data } = answer.error;
    const said = isObject(data) ? data : {};
    const details = typeof said['details'] === 'string' ? said['details'] : message;
    const error_code = isFaultName(said['error_code']) ? said['error_code'] : null;
    const response = { jsonrpc: '2.0', error: { ...answer.error }, id };
    return { is: 'refused', code, error_code, details: details.slice(0, 500), response };
  }
  const { result } = answer;
  const payload = isObject(result) ? (result['payload'] ?? {}) : null;
  if (!isObject(payload)) throw unusable('has no payload');
  const trouble = troubleWithAnswer(envelope.message_type, payload);
  if (trouble !== null) throw unusable(trouble);
  const response = { jsonrpc: '2.0', result, id };
  return { is: 'answered', payload: payload as AnswerOf<Type>, response };
}

function unusable(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer ${reason}`, { reason });
}

/** A peer that repeats what it was sent would have the error quote it. */
function withoutTokensIn({ envelope, payload }: OutgoingQuestion, error: GleitzeitError): GleitzeitError {
  const tokens = tokensIn({ envelope: { ...envelope }, payload });
  if (!tokens.some((token) => JSON.stringify(error.toRecord()).includes(token))) return error;
  return new GleitzeitError(error.code, String(withoutTokens(error.message, tokens)));
}
