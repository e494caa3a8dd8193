import { jsonLine } from '../output/formats.ts';
import type { Shower, ShowerParts } from './shower.ts';

/** Changes when a line changes its meaning; new kinds of lines and new fields may come without. */
const VERSION = 1;

/** One JSON object a line: first the version of this format, then each event, last how it ended. */
export function jsonShower({ progress, write }: ShowerParts): Shower {
  write(jsonLine({ type: 'version', version: VERSION }));
  return {
    took: (event) => write(jsonLine({ type: 'event', ...event })),
    noted: ({ task_id, id, waits }) => write(jsonLine({ type: 'waiting', task_id, id, reason: waits })),
    say: (text) => write(jsonLine({ type: 'message', message: text.trimEnd() })),
    end: () => write(jsonLine({ type: 'end', status: progress.status })),
  };
}
