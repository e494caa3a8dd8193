import { type JsonObject, own } from '../../core/json.ts';
import { cutTo, widthOf } from '../output/width.ts';

/** What the attempt of a task that runs has told of itself. `text` is the end of its output. */
export type Told = {
  readonly progress: number | null;
  readonly total: number | null;
  readonly message: string | null;
  readonly text: string | null;
};

/** So much output is remembered: more than a line can show. */
const REMEMBERED = 2000;

const nothing: Told = { progress: null, total: null, message: null, text: null };

/** What is known after one more `task:progress`. */
export function afterTelling(before: Told | null, data: JsonObject): Told {
  const { progress, total, message, text } = before ?? nothing;
  const more = own(data, 'text');
  return {
    progress: numberIn(data, 'progress') ?? progress,
    total: numberIn(data, 'total') ?? total,
    message: textIn(data, 'message') ?? message,
    text: typeof more === 'string' ? ((text ?? '') + more).slice(-REMEMBERED) : text,
  };
}

/** `40%`, `7 of 3`, `12`; null where it told no number. */
export function shareOf({ progress, total }: Pick<Told, 'progress' | 'total'>): string | null {
  if (progress === null) return null;
  if (total === null) return String(progress);
  const sensible = total > 0 && progress >= 0 && progress <= total;
  return sensible ? `${Math.floor((progress / total) * 100)}%` : `${progress} of ${total}`;
}

/** How far it is and what it says: `40%, reads page 2`. */
export function tellingOf(told: Pick<Told, 'progress' | 'total' | 'message'>): string {
  return [shareOf(told), told.message].filter((part) => part !== null && part !== '').join(', ');
}

/** The end of the last line of its output, as far as it fits; empty where there is none. */
export function tailOf(text: string | null, columns: number): string {
  const last = (text ?? '').trimEnd().split('\n').at(-1) ?? '';
  if (widthOf(last) <= columns) return last;
  const characters = [...last];
  let tail = '';
  for (let at = characters.length - 1; at >= 0; at--) {
    const longer = (characters[at] ?? '') + tail;
    if (widthOf(longer) + 1 > columns) break;
    tail = longer;
  }
  return cutTo(`…${tail}`, columns);
}

function numberIn(data: JsonObject, key: string): number | null {
  const value = own(data, key);
  return typeof value === 'number' ? value : null;
}

function textIn(data: JsonObject, key: string): string | null {
  const value = own(data, key);
  return typeof value === 'string' ? value : null;
}
