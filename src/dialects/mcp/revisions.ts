/**
 * The revisions of MCP that are spoken here. In the older era a session is begun with `initialize`; in the newer one every
 * request says by itself what it needs.
 */
export const modernRevisions: readonly string[] = ['2026-07-28'];
export const sessionRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export const NEWEST = '2026-07-28';
export const NEWEST_WITH_SESSION = '2025-11-25';

/** Errors that only a server of the newer era makes: what it says with them is final. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** How a server is spoken to, found out once. */
export type Era =
  | { readonly era: 'modern'; readonly version: string }
  | { readonly era: 'session'; readonly version: string };

export function isModern(version: string): boolean {
  return modernRevisions.includes(version);
}
