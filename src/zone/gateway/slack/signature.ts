import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How far the clock of whoever signs may be from ours: an older request may be one that somebody recorded. */
export const WINDOW_S = 300;

export type SignatureVerdict = 'right' | 'missing' | 'stale' | 'wrong';

type Signed = {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Wall time in milliseconds. */
  readonly now: number;
};

/** Whether Slack, or somebody else who knows the secret, has sent these very bytes, and not long ago. */
export function checkSignature(secret: string, { headers, body, now }: Signed): SignatureVerdict {
  const signature = headers['x-slack-signature'];
  const timestamp = headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong';
  if (Math.abs(now / 1000 - Number(timestamp)) > WINDOW_S) return 'stale';
  const expected = Buffer.from(signatureOf(secret, timestamp, body));
  const shown = Buffer.from(signature);
  return expected.length === shown.length && timingSafeEqual(expected, shown) ? 'right' : 'wrong';
}

export function signatureOf(secret: string, timestamp: string, body: Uint8Array | string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}
