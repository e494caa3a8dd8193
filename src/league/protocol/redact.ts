import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { contextFields } from './messages.ts';

export const REDACTED = '[redacted]';
const secretKeys: readonly string[] = ['auth_token', 'match_token'];
const SHOWN = 200;

/** A message as it may be kept and shown: tokens are gone, by the names of their fields and wherever else they stand. */
export function withoutTokens(message: Json, tokens: readonly string[] = tokensIn(message)): Json {
  if (typeof message === 'string') return hide(message, tokens);
  if (Array.isArray(message)) return message.map((one: Json) => withoutTokens(one, tokens));
  if (!isObject(message)) return message;
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => [
      hide(key, tokens),
      secretKeys.includes(key) ? REDACTED : withoutTokens(value, tokens),
    ]),
  );
}

/** Short words are left alone: who sends "a" as its token does not get every "a" taken out of the log. */
const SHORTEST = 6;

export function tokensIn(message: Json): string[] {
  if (Array.isArray(message)) return message.flatMap((one: Json) => tokensIn(one));
  if (!isObject(message)) return [];
  return Object.entries(message).flatMap(([key, value]) =>
    secretKeys.includes(key) && typeof value === 'string' && value.length >= SHORTEST
      ? [value]
      : tokensIn(value),
  );
}

function hide(text: string, tokens: readonly string[]): string {
  return tokens.reduce((left, token) => left.replaceAll(token, REDACTED), text);
}

const shownFields = ['protocol', 'message_type', 'sender', 'timestamp', 'conversation_id', ...contextFields];

/** What an error shows of the envelope it is about: known fields, no longer than they ever are, and no token. */
export function shownEnvelope(envelope: Json | undefined): JsonObject | null {
  if (!isObject(envelope)) return null;
  const tokens = tokensIn(envelope);
  const shown = shownFields.flatMap((field) => {
    const value = envelope[field];
    return typeof value === 'string' ? [[field, hide(value, tokens).slice(0, SHOWN)] as const] : [];
  });
  return Object.fromEntries(shown);
}
