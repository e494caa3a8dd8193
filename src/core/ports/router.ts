import type { JsonObject } from '../json.ts';
import type { Provider } from './provider.ts';

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
  /** It was called from a line: a place may be kept for it, and more may wait there. */
  readonly called: boolean;
  /** It was found by a look at all lines: no place is kept for it, and more may wait where it came from. */
  readonly found?: boolean;
};

/** A place at a provider, taken until `leave`, which may be called more than once, also where it came to no call. */
export type Passage = { readonly provider: Provider; leave(): void };

/** What tasks wait in that may not run now. */
export type Line = {
  readonly kind: LineKind;
  /** What people read, such as `provider search-1`, `protocol llm/v1` or `llm/v1 user=7`. Up to 200 characters. */
  readonly key: string;
  /** Ranked anew when called, so that those of other lines come first: fairness between keys. */
  readonly fair: boolean;
};

/** What a line is for: too many calls at once, too many in a while, or a service that is left in peace. */
export const lineKinds = ['concurrency', 'rate', 'breaker'] as const;
export type LineKind = (typeof lineKinds)[number];

export type Routed =
  | { readonly word: 'go'; readonly passage: Passage }
  | { readonly word: 'wait'; readonly line: Line };

/** Finds who can do a call now, or says what it waits for. */
export interface Router {
  /** Protocols that can be served here: the lanes this engine claims from. */
  protocols(): readonly string[];
  /** Throws GLZ2007 when nobody has the method, busy or not. */
  route(request: RouteRequest): Routed;
  /** Calls when providers have come or gone; returns the way to stop it. A router without it never changes. */
  onChange?(listener: () => void): () => void;
  /**
   * Calls when `places` of those who wait in a line may come, and hears how many will: fewer where nobody is left in the
   * line. They may have been there since before this router was. A router without it lets nobody wait.
   */
  onRoom?(listener: (line: Line, places: number) => Promise<number>): () => void;
}
