import { MAX_ATTEMPT_TEXT, MAX_PROGRESS_EVENTS, MAX_PROGRESS_MESSAGE, MAX_PROGRESS_TEXT } from './limits.ts';
import type { Progress } from './ports/provider.ts';
import { headOf, type ProgressTold } from './progress.ts';
import { cleanLine, cleanText, type Hidden, hideIn, hideInAll } from './progress-text.ts';

/** What an attempt has reported and nobody was told yet, and how much it has told. Bounded, whatever is reported. */
export type Reports = {
  /** The newest of each, as reported. */
  readonly newest: Omit<ProgressTold, 'text'>;
  readonly told: Omit<ProgressTold, 'text'>;
  /** Half of a character, or of the end of a line, that the last piece of text ended with. */
  readonly half: string;
  /** Text in which secrets may still stand, because the rest of one may be in the next piece. */
  readonly open: string;
  /** What comes next does not continue what came before. */
  readonly gap: boolean;
  /** Text that may be told. */
  readonly ready: string;
  /** Characters that were taken in all. */
  readonly taken: number;
  /** `full`: there was no room for more, and none is taken from here on; `said` when the text shows it. */
  readonly room: 'left' | 'full' | 'said';
  readonly events: number;
};

export const noReports: Reports = {
  newest: {},
  told: {},
  half: '',
  open: '',
  gap: false,
  ready: '',
  taken: 0,
  room: 'left',
  events: 0,
};

/** Stands where something of the text is missing. */
const CUT = '…';
/** So much of a message is looked at; what it is cut to is found when its secrets are hidden. */
const LONGEST_MESSAGE = 8 * MAX_PROGRESS_MESSAGE;

/** Takes in what a service reported. It comes from outside: what is not what it should be is left out. */
export function heard(reports: Reports, report: Progress): Reports {
  const { progress, total, message, text } = report;
  const newest = {
    ...reports.newest,
    ...(isNumber(progress) ? { progress } : {}),
    ...(isNumber(total) ? { total } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, LONGEST_MESSAGE + 1) } : {}),
  };
  const taken = typeof text === 'string' && reports.room === 'left' ? takeText(reports, text) : reports;
  return { ...taken, newest };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function takeText(reports: Reports, text: string): Reports {
  if (text === '') return reports;
  const room = MAX_ATTEMPT_TEXT - reports.taken;
  const full = text.length > room;
  const piece = reports.half + (full ? text.slice(0, room) : text);
  // What follows decides what these are.
  const half = /[\r\ud800-\udbff]$/.exec(piece)?.[0] ?? '';
  const whole = half === '' ? piece : piece.slice(0, -1);
  const taken = reports.taken + Math.min(text.length, room);
  const open = reports.open + (reports.gap ? CUT : '') + cleanText(whole);
  return { ...reports, half, open, gap: false, taken, room: full ? 'full' : 'left' };
}

/** Another goes on from here, or something was not heard: the text shows it where it goes on, and no secret goes across. */
export function interrupted(reports: Reports, hidden: Hidden): Reports {
  return { ...readied(reports, hidden, true), gap: true };
}

/** What the next event tells, or null where there is nothing new; `last`: nothing more will be reported. */
export function nextTold(
  reports: Reports,
  hidden: Hidden,
  { last = false }: { last?: boolean } = {},
): { readonly told: ProgressTold | null; readonly rest: Reports } {
  const now = readied(reports, hidden, last);
  const values = shownValues(now, hidden);
  const text = headOf(now.ready, MAX_PROGRESS_TEXT);
  const left = now.ready.slice(text.length);
  const told = { ...changed(values, now.told), ...textOf(text) };
  const rest = { ...now, newest: {}, told: { ...now.told, ...values }, ready: left };
  if (Object.keys(told).length === 0) return { told: null, rest };
  return { told, rest: { ...rest, events: now.events + 1 } };
}

/** Whether there may be something to tell: what came meanwhile, or text that did not fit into the event before. */
export function hasNews({ newest, open, ready }: Reports): boolean {
  return ready !== '' || open !== '' || Object.keys(newest).length > 0;
}

/** Text moves from open to ready as far as no secret can stand across its end. */
function readied(reports: Reports, hidden: Hidden, last: boolean): Reports {
  const full = reports.room === 'full';
  // Where there is no room left nothing follows either, and the half was cut off by us.
  const ends = last || full;
  const open = last && !full ? reports.open + cleanText(reports.half) : reports.open;
  if (open === '' && !full) return reports;
  const { shown, rest } = hideIn(open, hidden, { ends });
  const ready = reports.ready + shown + (full ? CUT : '');
  const room = full ? 'said' : reports.room;
  return { ...reports, half: ends ? '' : reports.half, open: rest, ready, room };
}

function shownValues({ newest }: Reports, hidden: Hidden): Omit<ProgressTold, 'text'> {
  const { progress, total, message } = newest;
  return {
    ...(progress === undefined || shows(progress, hidden) ? {} : { progress }),
    ...(total === undefined || shows(total, hidden) ? {} : { total }),
    ...(message === undefined ? {} : { message: messageOf(message, hidden) }),
  };
}

/** A number that gives a secret away is left out: there is nothing else to put in its place. */
function shows(value: number, hidden: Hidden): boolean {
  return hideInAll(String(value), hidden) !== String(value);
}

/** Cut last: half a secret is not found. */
function messageOf(message: string, hidden: Hidden): string {
  const line = cleanLine(message);
  const shown =
    message.length > LONGEST_MESSAGE ? hideIn(line, hidden, { ends: true }).shown : hideInAll(line, hidden);
  if (shown.length <= MAX_PROGRESS_MESSAGE) return shown;
  return headOf(shown, MAX_PROGRESS_MESSAGE - CUT.length) + CUT;
}

type Values = Omit<ProgressTold, 'text'>;

function changed(values: Values, told: Values): Values {
  const { progress, total, message } = values;
  return {
    ...(progress === undefined || progress === told.progress ? {} : { progress }),
    ...(total === undefined || total === told.total ? {} : { total }),
    ...(message === undefined || message === told.message ? {} : { message }),
  };
}

function textOf(text: string): Pick<ProgressTold, 'text'> {
  return text === '' ? {} : { text };
}

/** Long enough for what is reported in one go to be told in one go. */
const FIRST_MS = 50;
const BETWEEN_MS = 250;
/** After so many events the time between them doubles: a long attempt is still heard of, and its log stays short. */
const EVENTS_PER_PACE = 200;

/** Milliseconds from the event before to the next, or from the first report to the first event; null: no more. */
export function pauseBefore({ events }: Reports): number | null {
  if (events === 0) return FIRST_MS;
  if (events >= MAX_PROGRESS_EVENTS) return null;
  return BETWEEN_MS * 2 ** Math.floor(events / EVENTS_PER_PACE);
}
