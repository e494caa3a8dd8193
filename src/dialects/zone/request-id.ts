import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * What the other zone knows a call by. The first attempt has the name of the call itself. One that is made because the zone
 * told of a failure has another: under the same name the zone would answer with that failure again.
 */
export function requestIdOf({
  call_id,
  attempt,
}: {
  readonly call_id: string;
  readonly attempt: number;
}): string {
  if (attempt <= 1 && UUID.test(call_id)) return call_id;
  const hex = createHash('sha256').update(`${call_id}/${attempt}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
