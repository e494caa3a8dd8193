import type { Answer } from '../answer.ts';
import type { AttemptName } from '../attempt-name.ts';
import type { Json } from '../json.ts';
import type { Progress, Provider, ProviderCall } from './provider.ts';
import type { Line, RoomListener } from './router.ts';

/** How a routed call leaves: made here, or published for someone else to make. */
export interface Dispatch {
  /**
   * Makes the call and answers; or hands it over, and says so once that is durable. A call may be handed over twice in the
   * same name where its engine did not come to write that down: whoever makes calls has to reckon with it.
   */
  send(provider: Provider, call: OutgoingCall): Promise<Sent>;
  /** Whether calls to this provider are handed over. Left out: all are made here. */
  leaves?(provider: Provider): boolean;
  /** From now on tells what comes back of calls that were handed over, by whomever and whenever. Returns the way to stop it. */
  listen?(arrivals: Arrivals): Promise<() => Promise<void>>;
  /** Whoever makes the call may stop: nobody waits for its answer any more. Never throws. */
  abandon?(call: AttemptName & { readonly provider: string | null }): void;
  /** Calls when those who wait in a line that `send` named may come; see Router.onRoom. */
  onRoom?(listener: RoomListener): () => void;
}

/** A call and what it takes to have it made elsewhere. */
export type OutgoingCall = ProviderCall & {
  /** How often a person reopened the task: part of the name of its attempts. */
  readonly generation: number;
  /** How long the call may take from when it is made. */
  readonly timeout_ms: number;
  /** How long the task has left in all; null for as long as it takes. */
  readonly expires_in_ms: number | null;
  /** What is in the clear in it: neither these texts nor what shows them may be written down. */
  readonly secrets: readonly string[];
  /** What of it may be read by others on its way. Made only where it is asked for. */
  sealed(): SealedCall;
};

/** JSON texts in which secrets are sealed as they are in the store: `{"$sealed": …}` in place of the value. */
export type SealedCall = {
  readonly params: string;
  /** What came from outside; null where nothing did. */
  readonly response: string | null;
  readonly callback: { readonly url: string; readonly token: Json } | null;
  /** Whether anything in it is secret: what is said about the call must then be looked through. */
  readonly secrets: boolean;
};

export type Sent =
  | Answer
  /** It is away. Without an answer within `bound_ms`, also from a start that nobody told of, the attempt is given up. */
  | { readonly word: 'handed_over'; readonly bound_ms: number }
  /** It cannot leave now: no attempt was made, and the task waits in this line. */
  | { readonly word: 'wait'; readonly line: Line };

/** What comes back. */
export interface Arrivals {
  /**
   * How a call ended. Resolves when that is recorded, or refused for good because it was known or not wanted any more;
   * rejects where neither can be had from this engine: then it has to be told again, here or to another one. True: it
   * was recorded by this.
   */
  ended(arrived: ArrivedAnswer): Promise<boolean>;
  /** What a running call keeps for the next attempt; resolves and rejects like `ended`. */
  kept(arrived: ArrivedKept): Promise<void>;
  /** Nice to know: may be lost, late, or told twice. Never throws. */
  news(news: ArrivedNews): void;
}

export type ArrivedAnswer = AttemptName & {
  /** Who answered; null where that is not told. */
  readonly provider: string | null;
  readonly answer: Answer;
  /** How long the call took; left out where that is not told. */
  readonly took_ms?: number | undefined;
  /** What was called, as the call said when it left; where it is not told again it is looked up. */
  readonly called?: CalledMethod | undefined;
};

export type CalledMethod = {
  readonly protocol: string;
  readonly method: string;
  /** See SealedCall. */
  readonly secrets: boolean;
};

export type ArrivedKept = AttemptName & { readonly provider: string | null; readonly kept: Json };

export type ArrivedNews = AttemptName &
  (
    | { readonly kind: 'started'; readonly ago_ms: number }
    | { readonly kind: 'progress'; readonly progress: Progress }
    /** Its answer is on its way, or was told elsewhere: its place at the provider is free. */
    | { readonly kind: 'ended' }
  );
