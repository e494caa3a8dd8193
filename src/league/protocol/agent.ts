import type { Json, JsonObject } from '../../core/json.ts';
import type { Envelope, MessageContext } from './envelope.ts';
import type { Fault } from './faults.ts';
import type { RequestType, SenderKind } from './messages.ts';

/** A question whose envelope is in order. Its payload is held against its schema before `handle`, and not earlier. */
export type LeagueQuestion = {
  readonly id: string | number;
  readonly envelope: Envelope & { readonly message_type: RequestType };
  readonly payload: JsonObject;
};

/** What a question is answered with; the envelope around it is made by the endpoint. */
export type LeagueReply = {
  readonly payload: JsonObject;
  /** Where it says more than the question did what it is about. */
  readonly context?: MessageContext;
  /** All of it as it goes out, where that is written already. */
  readonly response?: JsonObject;
};

/** One message that came, and what was said to it: both as they are on the wire, tokens included. */
export type Exchange = {
  readonly request: Json;
  readonly response: JsonObject;
  /** Who said it, where its token proved that; null where anybody may have. */
  readonly proven: string | null;
  readonly fault: Fault;
};

/**
 * An agent of the league behind its endpoint. The endpoint asks in the league's order: `authenticate` (sender and token),
 * then `judge` (may it be said now), then the payload's schema, then `handle`.
 */
export interface LeagueAgent {
  readonly kind: SenderKind;
  /** What it signs with: `league_manager`, `referee:R1` … */
  readonly sender: string;
  authenticate(question: LeagueQuestion): Fault | null;
  judge(question: LeagueQuestion): Fault | null;
  /** Throws or rejects for what is its own trouble: answered by INTERNAL_ERROR, with nothing told. */
  handle(question: LeagueQuestion, signal: AbortSignal): Promise<LeagueReply | Fault>;
  /** What `GET /status` shows. */
  status(): JsonObject;
  /** Hears of everything that was refused or could not be read, before that is said. Never throws or rejects. */
  refused?(exchange: Exchange): void | Promise<void>;
  /** Whether an answer is remembered, for questions that come again under the same id. All are where it is left out. */
  remembers?(question: LeagueQuestion): boolean;
}

export function isFault(reply: LeagueReply | Fault): reply is Fault {
  return 'code' in reply;
}
