import { unreadable } from './read.ts';

const WRITTEN =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:\s?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

/** Milliseconds since 1970 of a time as others write it. One without a zone is UTC. */
export function readTime(text: string, place: { readonly message: string; readonly field: string }): number {
  const [, date, time = '00:00', zone = 'Z'] = WRITTEN.exec(text) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time.replace(',', '.')}${offset(zone)}`);
  if (!Number.isNaN(at)) return at;
  const reason = 'is no time as ISO 8601 writes it';
  throw unreadable(place.message, { field: place.field, reason, hint: 'write 2026-01-31T12:00:00Z' });
}

/** `+02` and `+0200` are written, too. */
function offset(zone: string): string {
  if (zone.length === 1) return 'Z';
  const [hours, minutes] = [zone.slice(0, 3), zone.slice(3).replace(':', '')];
  return `${hours}:${minutes === '' ? '00' : minutes}`;
}

/** As we write it. */
export function writeTime(wall_ms: number): string {
  return new Date(wall_ms).toISOString();
}
