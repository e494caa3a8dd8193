import { GleitzeitError } from './errors.ts';
import { kindOf } from './json.ts';
import { MAX_WAIT_MS } from './limits.ts';

/** In seconds, largest first: the order in which a compound duration names them. */
const units = { d: 86_400, h: 3_600, m: 60, s: 1, ms: 0.001 } as const;
type Unit = keyof typeof units;

const MAX_SECONDS = MAX_WAIT_MS / 1000;
const MAX_TEXT = 64;
const HINT = 'write a number of seconds, or text with a unit: 30s, 250ms, 2m, 1h30m, 1d, PT30S';

/**
 * Seconds, from a number or from text that carries its unit (`30s`, `1h30m`, `PT30S`). What a bare number counts
 * differs by place: seconds in workflows and configuration, milliseconds in agent entries and in `wait`.
 */
export function parseDuration(value: unknown, bareUnit: 's' | 'ms' = 's'): number {
  if (typeof value === 'number') return bounded(value * units[bareUnit]);
  if (typeof value !== 'string') return refuse(`a duration is a number or text, not ${kindOf(value)}`);
  const text = value.trim();
  if (text.length > MAX_TEXT) return refuse('this text is too long for a duration');
  return bounded(text.startsWith('P') ? fromIso(text) : fromUnits(text));
}

const amount = /(\d+(?:\.\d+)?)(ms|[dhms])/y;

function fromUnits(text: string): number {
  const order = Object.keys(units) as Unit[];
  let seconds = 0;
  let next = 0;
  amount.lastIndex = 0;
  while (amount.lastIndex < text.length || text === '') {
    const [, digits, unit] = amount.exec(text) ?? refuse(unreadable(text));
    const place = order.indexOf(unit as Unit);
    if (place < next) refuse(`"${text}" names its units out of order or twice`);
    next = place + 1;
    seconds += Number(digits) * units[unit as Unit];
  }
  return seconds;
}

function unreadable(text: string): string {
  if (/^\d+(?:\.\d+)?$/.test(text)) return `"${text}" is text without a unit`;
  if (text.startsWith('-')) return 'a duration cannot be negative';
  return `"${text}" is no duration`;
}

const iso =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

function fromIso(text: string): number {
  const found = iso.exec(text);
  if (found === null || /[PT]$/.test(text)) return refuse(isoTrouble(text));
  const [, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found;
  const wholeDays = Number(weeks) * 7 + Number(days);
  return wholeDays * units.d + Number(hours) * units.h + Number(minutes) * units.m + Number(seconds);
}

function isoTrouble(text: string): string {
  const dated = /^P[\d.YMWD]*[YM]/.test(text);
  return dated
    ? `"${text}" counts in years or months, which differ in length`
    : `"${text}" is no ISO 8601 duration`;
}

function bounded(seconds: number): number {
  if (Number.isNaN(seconds)) return refuse('a duration cannot be NaN');
  if (seconds < 0) return refuse('a duration cannot be negative');
  return seconds <= MAX_SECONDS ? seconds : refuse('a duration is at most ten years');
}

function refuse(reason: string): never {
  throw new GleitzeitError('GLZ1012', reason, { reason, hint: HINT });
}
