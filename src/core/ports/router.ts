import type { Answer } from '../answer.ts';
import type { JsonObject } from '../json.ts';
import type { Appetite } from '../pool/appetite.ts';
import type { AbandonedCall, Provider } from './provider.ts';

/** A call that is ready to be made. */
export type RouteRequest = {
  readonly protocol: string;
  readonly method: string;
  /** As they will be sent. */
  readonly params: JsonObject;
  readonly task_id: string;
  readonly workflow_id: string | null;
  /** Providers on which earlier attempts of this task failed: another is preferred. */
  readonly avoid: readonly string[];
  /** Those of them that are not to see it again while there are others: their errors were final, and have sent it elsewhere. */
  readonly refused?: readonly string[];
  /** It was called from a line: a place may be kept for it, and more may wait there. */
  readonly called: boolean;
  /** It was found by a look at all lines: no place is kept for it, and more may wait where it came from. */
  readonly found?: boolean;
  /** The name of the line it was called or found in: what is kept for it was kept there, and in lines before that one. */
  readonly from?: string;
  /** The one provider that may take it: nobody else is asked, nobody avoided, and no second call is made beside it. */
  readonly only?: string | undefined;
  /** A text of the call as people may see it; where it is secret, what stands for it. Without it there are no secrets. */
  readonly shown?: (text: string) => string;
};

/** A place at a provider, taken until `leave`, which may be called more than once, also where it came to no call. */
export type Passage = {
  readonly provider: Provider;
  /** How a call went that somebody else made, and how long it took; for the router to learn from. */
  heard?(answer: Answer, ms: number): void;
  /** Whether the same call could be made to another provider, with which the task has not failed. */
  others?(): boolean;
  /** Further providers that were asked by the same call, and failed. */
  failed?(): readonly string[];
  leave(): void;
};

/** What tasks wait in that may not run now. */
export type Line = {
  readonly kind: LineKind;
  /** What people read, such as `provider search-1`, `protocol llm/v1` or `llm/v1 user=7`. Up to 200 characters. */
  readonly key: string;
  /** Ranked anew when called, so that those of other lines come first: fairness between keys. */
  readonly fair: boolean;
  /** The lane of the tasks in it, where all are of one. */
  readonly lane?: string;
};

/**
 * What a line is for: too many calls at once, too many in a while, or a service that is left in peace: after failures, because it
 * does not answer when asked how it is, or because somebody said so. Of several it is the first, which is over first.
 */
export const lineKinds = ['concurrency', 'rate', 'breaker', 'unhealthy', 'drained'] as const;
export type LineKind = (typeof lineKinds)[number];

/** Whether no place is waited for, but a service. */
export function isLeftInPeace(kind: LineKind): boolean {
  return kind !== 'concurrency' && kind !== 'rate';
}

/** `stray`: it was found in a line that nobody calls any more, such as one of earlier limits, and there may be others. */
export type Routed = { readonly stray?: boolean } & (
  | { readonly word: 'go'; readonly passage: Passage }
  | { readonly word: 'wait'; readonly line: Line }
);

/** Finds who can do a call now, or says what it waits for. */
export interface Router {
  /** Protocols that can be served here: the lanes this engine claims from. */
  protocols(): readonly string[];
  /** How many tasks of a protocol are of use now. Without it, as many as there are slots. */
  appetite?(protocol: string): Appetite;
  /** What tasks of a protocol wait for that are not even claimed because others wait for it already, or null. */
  heldBackBy?(protocol: string): Pick<Line, 'kind' | 'key'> | null;
  /** In how many milliseconds a line may be called by the passing of time alone, or null where that is not known. */
  opensIn?(protocol: string, line: Pick<Line, 'kind' | 'key'>): number | null;
  /** Throws GLZ2007 when nobody has the method, busy or not; where it is the model that nobody has, `details` names it. */
  route(request: RouteRequest): Routed;
  /** A provider is told that what it does for a task is not wanted any more; nothing where there is no such provider. */
  abandon?(provider: string, left: AbandonedCall): void;
  /** The engine is known to the store by this name from now on: what it shares with others is asked for in it. */
  joined?(owner: string): void;
  /** The store has taken a commit; its clock showed this, a moment ago. */
  committed?(now: number): void;
  /** Nothing begins any more, and the store still takes writes: what is shared and not used goes back. */
  leaving?(): Promise<void>;
  /** Calls when providers have come or gone; returns the way to stop it. A router without it never changes. */
  onChange?(listener: () => void): () => void;
  /**
   * Calls when `places` of those who wait in a line may come, and hears who will. They may have been there since before
   * this router was. `astray` is told where another engine took some of them.
   * A router without it lets nobody wait.
   */
  onRoom?(listener: RoomListener): () => void;
}

export type RoomListener = (line: Line, places: number, astray?: (count: number) => void) => Promise<Came>;

/** How many come out of a line that was called, and how many wait there still: at least so many, and none only where nobody does. */
export type Came = { readonly count: number; readonly more: number };

export const nobodyCame: Came = { count: 0, more: 0 };

/** What several calls came to together. */
export function allCame(each: readonly Came[]): Came {
  return each.reduce(
    (sum, { count, more }) => ({ count: sum.count + count, more: sum.more + more }),
    nobodyCame,
  );
}
