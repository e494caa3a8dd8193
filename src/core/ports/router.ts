import type { Provider } from './provider.ts';

/** Finds who can do a call now. */
export interface Router {
  /** Protocols that can be served here: the lanes this engine claims from. */
  protocols(): readonly string[];
  /** Throws GLZ2007 when nobody can. */
  route(call: { protocol: string; method: string }): Provider;
  /** Calls when providers have come or gone; returns the way to stop it. A router without it never changes. */
  onChange?(listener: () => void): () => void;
}
