import type { Provider } from './provider.ts';

/** Finds who can do a call now. */
export interface Router {
  /** Protocols that can be served here: the lanes this engine claims from. */
  protocols(): readonly string[];
  /** Throws GLZ2007 when nobody can. */
  route(call: { protocol: string; method: string }): Provider;
}
