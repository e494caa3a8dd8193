import type { Usage } from '../../core/answer.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** A part of a message: words, or an image by its address or its bytes in base64. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'image'; readonly data: string; readonly media_type: string };

export type Message = {
  readonly role: string;
  readonly parts: readonly Part[];
  /** As the task has it, for what only its API understands. */
  readonly given: JsonObject;
};

/** What a model is asked, in the words of no API. */
export type Ask = {
  /** A prompt alone, which is one message here, or a conversation. */
  readonly kind: 'prompt' | 'conversation';
  readonly model: string;
  /** How the model is to behave; null for no word about it. */
  readonly system: string | null;
  readonly messages: readonly Message[];
  readonly max_tokens: number | null;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly stop: readonly string[] | null;
  readonly seed: number | null;
  readonly tools: readonly Json[] | null;
  readonly stream: boolean;
};

/** What the model said. */
export type Said = {
  readonly text: string;
  readonly model: string | null;
  readonly finish_reason: string | null;
  readonly usage: Usage;
  /** As the API has it, with whatever else is in it: calls of tools, for one. */
  readonly message: JsonObject;
};

/** An answer that arrives in pieces. */
export interface Pieces {
  /** The words that are new in a piece. Throws an error of ours where the piece says that something went wrong. */
  take(piece: JsonObject): string;
  /** Null while the answer is not at its end. */
  said(): Said | null;
}

export type Complaint = {
  readonly message: string;
  /** The service's own name for what is wrong. */
  readonly type: string | null;
  readonly retry_after_ms?: number;
  /** It will not get better by asking again, whatever the status says. */
  readonly final?: boolean;
};

/** How one API is spoken. */
export type Wire = {
  /** The vendor's own service. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where it lists its models, behind its address: a question that costs nothing. */
  readonly models: string;
  /** Put behind the address of the service. */
  path(ask: Ask): string;
  body(ask: Ask): JsonObject;
  /** Null where this is no answer of the API. */
  read(answer: JsonObject): Said | null;
  readonly framing: 'events' | 'lines';
  pieces(): Pieces;
  complaint(body: JsonObject): Complaint | null;
};
