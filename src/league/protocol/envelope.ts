import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Random } from '../../core/ports/random.ts';
import { Type } from '../../type.ts';
import { type ContextField, contextFields, type MessageType, type SenderKind } from './messages.ts';

export const PROTOCOL = 'league.v2';
export const METHOD = 'league.handle';

/** Nobody needs longer ones, and they stand in every line of every log. */
export const LONGEST_ID = 128;
export const ID_PATTERN = `^[A-Za-z0-9_-]{1,${LONGEST_ID}}$`;
const id = new RegExp(ID_PATTERN);

export const envelopeSchema = Type.Object({
  protocol: Type.Literal(PROTOCOL),
  message_type: Type.String(),
  sender: Type.String({ description: '`league_manager`, `admin`, `referee:<id>` or `player:<id>`' }),
  timestamp: Type.String({ description: 'ISO-8601, in UTC: ends in `Z` or `+00:00`' }),
  conversation_id: Type.String({ description: 'UUID v4; an answer repeats the one of its question' }),
  auth_token: Type.Optional(Type.String()),
  league_id: Type.Optional(Type.String()),
  round_id: Type.Optional(Type.String()),
  match_id: Type.Optional(Type.String()),
  game_type: Type.Optional(Type.String()),
});

export type Envelope = Readonly<Omit<Static<typeof envelopeSchema>, 'message_type'>> & {
  readonly message_type: MessageType;
};

export type Sender =
  | { readonly kind: 'league_manager' | 'admin'; readonly id: null }
  | { readonly kind: 'referee' | 'player'; readonly id: string };

/** Null for what names nobody. */
export function parseSender(text: string): Sender | null {
  if (text === 'league_manager' || text === 'admin') return { kind: text, id: null };
  const colon = text.indexOf(':');
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (colon === -1 || (kind !== 'referee' && kind !== 'player') || !isId(name)) return null;
  return { kind, id: name };
}

export function senderText(kind: SenderKind, name: string | null): string {
  return name === null ? kind : `${kind}:${name}`;
}

export function isId(text: unknown): text is string {
  return typeof text === 'string' && id.test(text);
}

export type MessageContext = Readonly<Partial<Record<ContextField, string | undefined>>>;
export type SaidContext = Readonly<Partial<Record<ContextField, string>>>;

export type NewEnvelope = {
  readonly message_type: MessageType;
  readonly sender: string;
  readonly conversation_id: string;
  /** Wall time in milliseconds. */
  readonly at: number;
  readonly auth_token?: string | undefined;
  readonly context?: MessageContext | undefined;
};

export function newEnvelope(parts: NewEnvelope): Envelope {
  const { message_type, sender, conversation_id, at, auth_token, context = {} } = parts;
  const timestamp = new Date(at).toISOString();
  return {
    ...{ protocol: PROTOCOL, message_type, sender, timestamp, conversation_id },
    ...(auth_token === undefined ? {} : { auth_token }),
    ...contextIn(context),
  };
}

/** What an envelope, or whoever writes one, says that it is about. */
export function contextIn(from: MessageContext): SaidContext {
  const said: { [Field in ContextField]?: string } = {};
  for (const field of contextFields) {
    const value = from[field];
    if (value !== undefined) said[field] = value;
  }
  return said;
}

/** A UUID v4, of randomness that is handed in. */
export function newConversation(random: Random): string {
  return uuid(random.bytes(16));
}

/** The same for the same message, so that one that is said again, also by a later process, is in the same conversation. */
export function conversationFor(message_id: string): string {
  return uuid(Buffer.from(hash('sha256', `conversation ${message_id}`, 'hex'), 'hex').subarray(0, 16));
}

function uuid(from: Uint8Array): string {
  const bytes = Uint8Array.from(from);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
