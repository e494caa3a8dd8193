/** So long a gateway that was away tries, however late it is: what lies between it and the chat may not be there yet either. */
const AFTER_START_MS = 60_000;

export type PostingTimes = {
  /** How long posting a reply is tried. */
  readonly within_ms: number;
  /** When the gateway started, in wall time. */
  readonly started_at: number;
};

/** Whether a reply that was known then may be posted again at this moment; both in wall time. */
export function mayPostAgain(
  { known_at, at }: { readonly known_at: number; readonly at: number },
  { within_ms, started_at }: PostingTimes,
): boolean {
  return at <= Math.max(known_at + within_ms, started_at + Math.min(AFTER_START_MS, within_ms));
}
