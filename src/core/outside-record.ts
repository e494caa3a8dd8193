import type { OutsideWait } from './answer.ts';
import type { Json } from './json.ts';

/** What the log tells of a payload: never itself. */
export type Told = { readonly hash: string };
/** JSON text, as it was given; what comes from outside is sealed. */
export type Payload = Told & { readonly text: string };

/** What an attempt has to do with the outside, as the log tells it. */
export type ToldOutside = {
  /** What the next attempt gets, and the one provider that can make something of it. */
  readonly kept?: Told & { readonly provider: string | null };
  /** What came for this attempt, or for the one before where this one has not ended. */
  readonly response?: Told;
  /** The newest that came before anybody waited for it. */
  readonly early?: Told;
  readonly wait?: ToldWait;
};

export type ToldWait = Pick<OutsideWait, 'kind' | 'late'> & {
  /** Null once it is over. */
  readonly ask: Json;
  readonly until: number | null;
};

/** The same as it is stored. */
export type OutsideRecord = {
  readonly kept?: Payload & { readonly provider: string | null };
  readonly response?: Payload;
  readonly early?: EarlyRecord;
  readonly wait?: WaitRecord;
};

/** `mark`: by which the same one is known again. */
export type EarlyRecord = Payload & { readonly mark: string };

export type WaitRecord = ToldWait & {
  /** The mark of what an answer has to be proved by, or null. */
  readonly token: string | null;
  /** The mark of the answer that was taken, so that the same one is known again; null while there is none. */
  readonly answer: string | null;
};
