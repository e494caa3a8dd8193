import type { Shown } from '../io.ts';
import { cleanLine } from '../output/clean.ts';
import { paint, statusStyle } from '../output/paint.ts';

/** What became of one thing, in a line: `run 0197… paused`. */
export function statusLine(kind: string, id: string, status: string): Shown {
  return {
    table: ({ colour }) => `${kind} ${cleanLine(id)} ${paint(colour, statusStyle(status), status)}\n`,
    names: [id],
  };
}
