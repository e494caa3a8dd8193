import { isObject, own } from '../../core/json.ts';
import type { ProgressEvent, TaskProgress } from './model.ts';
import { type Told, tellingOf } from './told.ts';

/** Percent from one line to the next: a log is no place for every step. */
const STEP = 10;

type Shown = { share: number | null; message: string | null; line: string };

/** What running tasks tell, as lines: each message, every tenth part of the way, and their output line by line. */
export class PlainTold {
  readonly #shown = new Map<string, Shown>();

  /** The lines that an event makes, each after the name of its task. */
  linesOf(event: ProgressEvent, task: TaskProgress): string[] {
    const before = this.#shown.get(task.task_id) ?? { share: null, message: null, line: '' };
    if (event.event !== 'task:progress') {
      this.#shown.delete(task.task_id);
      return before.line === '' ? [] : [outputLine(task, before.line)];
    }
    const [first = '', ...rest] = textOf(event).split('\n');
    const pieces = [before.line + first, ...rest];
    const line = pieces.pop() ?? '';
    const told = task.told === null ? null : news(before, task.told);
    const after = { ...(told?.shown ?? before), line };
    this.#shown.set(task.task_id, after);
    return [
      ...(told === null ? [] : [`${task.id}: ${told.words}`]),
      ...pieces.filter((piece) => piece.trim() !== '').map((piece) => outputLine(task, piece)),
    ];
  }
}

function outputLine({ id }: TaskProgress, line: string): string {
  return `${id}: | ${line}`;
}

function textOf({ data }: ProgressEvent): string {
  const text = isObject(data) ? own(data, 'text') : null;
  return typeof text === 'string' ? text : '';
}

function news(before: Shown, told: Told): { readonly words: string; readonly shown: Shown } | null {
  const share = percentOf(told);
  const moved = share !== null && (before.share === null || Math.abs(share - before.share) >= STEP);
  const said = told.message !== null && told.message !== '' && told.message !== before.message;
  const words = tellingOf(told);
  if ((!moved && !said) || words === '') return null;
  return { words, shown: { share, message: told.message, line: '' } };
}

/** Where the whole is not known, each number may be the last: then only the first one is a line of its own. */
function percentOf({ progress, total }: Told): number | null {
  if (progress === null) return null;
  return total === null || total <= 0 ? 0 : (progress / total) * 100;
}
