const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C `traceparent`, or null for anything else: a caller's broken trace is no reason to refuse his work. */
export function readTraceparent(value: unknown): string | null {
  return typeof value === 'string' && FORM.test(value) ? value : null;
}
