import type { JsonObject } from '../../core/json.ts';
import { cleanLine } from '../output/clean.ts';
import { paint, type Style, statusStyle } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import { cutTo, padTo } from '../output/width.ts';

export type ShownEvent = {
  readonly cursor: number;
  readonly event: string;
  readonly at: string;
  readonly task_id?: string;
  readonly workflow_id?: string;
  readonly data: object;
};

const LONGEST_NAME = 20;

/** One event in a line: when, what, of whom, and what else it says. */
export function eventLine({ at, event, task_id, workflow_id, data }: ShownEvent, view: View): string {
  const id = task_id ?? workflow_id ?? '';
  const rest = cleanLine(restOf(data as JsonObject));
  const plain = `${at}  ${padTo(event, LONGEST_NAME)}  ${cleanLine(id)}`;
  const room = view.columns === null ? null : view.columns - plain.length - 2;
  const shown = room === null ? rest : cutTo(rest, Math.max(0, room));
  const name =
    paint(view.colour, styleOf(event), event) + ' '.repeat(Math.max(0, LONGEST_NAME - event.length));
  return `${paint(view.colour, 'dim', at)}  ${name}  ${cleanLine(id)}  ${paint(view.colour, 'dim', shown)}`
    .trimEnd()
    .concat('\n');
}

function styleOf(event: string): Style | null {
  return statusStyle(event.slice(event.indexOf(':') + 1));
}

/** `attempt=2 provider=search-1`; hashes and the like are for programs. */
function restOf(data: JsonObject): string {
  return Object.entries(data)
    .filter(([key, value]) => !key.endsWith('hash') && value !== null)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
