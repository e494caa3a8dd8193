import { cleanLine, cleanText } from '../output/clean.ts';
import { answerCommand } from './ask.ts';
import type { Progress, ProgressEvent, TaskProgress } from './model.ts';
import { PlainTold } from './plain-told.ts';
import type { Shower, ShowerParts } from './shower.ts';
import { duration, remarkOf, secondsOf, signOf } from './words.ts';

/** Steps in between that nobody waits for, and what has lines of its own. */
const untold = new Set([
  'task:waiting',
  'task:queued',
  'task:validated',
  'task:routed',
  'workflow:reopened',
  'task:progress',
  'task:kept',
  'task:notification_awaited',
  'task:responded',
]);

/** One line for each change, for logs and pipes. */
export function plainShower({ progress, write, now }: ShowerParts): Shower {
  const told = new PlainTold();
  return {
    took: (event, task) => {
      const at = duration(Date.parse(event.at) - (progress.started_at ?? Date.parse(event.at))).padStart(7);
      for (const words of task === null ? [] : told.linesOf(event, task)) {
        write(`${at}  ${cleanLine(words)}\n`);
      }
      const line = lineOf(progress, event, task);
      if (line !== null) write(`${line}\n`);
    },
    noted: (task) => {
      const since = duration(now() - (progress.started_at ?? now())).padStart(7);
      write(`${since}  ${cleanLine(`${task.id}: ${signOf(task).word}, ${task.waits ?? ''}`)}\n`);
    },
    say: (text) => write(`${cleanText(text)}\n`),
    end: () => {},
  };
}

/** `  1.2 s  fetch: retrying, attempt 1/3, again in 2 s, the service is busy`; null where there is nothing to tell. */
export function lineOf(progress: Progress, event: ProgressEvent, task: TaskProgress | null): string | null {
  if (untold.has(event.event)) return null;
  const at = Date.parse(event.at);
  const words = task === null ? wordsOfRun(progress, event) : wordsOfTask(progress, event, task, at);
  if (words === null) return null;
  return `${duration(at - (progress.started_at ?? at)).padStart(7)}  ${cleanLine(words)}`;
}

function wordsOfRun({ name, total, reason, workflow_id }: Progress, { event }: ProgressEvent): string | null {
  if (!event.startsWith('workflow:')) return null;
  const word = event.slice('workflow:'.length);
  if (word === 'started') {
    const run = workflow_id === null ? '' : `, run ${workflow_id}`;
    return `${name ?? 'the run'}: started, ${total} ${total === 1 ? 'task' : 'tasks'}${run}`;
  }
  return `${name ?? 'the run'}: ${word}${reason === null ? '' : `, ${reason}`}`;
}

function wordsOfTask(progress: Progress, { event }: ProgressEvent, task: TaskProgress, at: number): string {
  const interrupted = event === 'task:interrupted';
  const word = interrupted ? 'interrupted, runs again' : signOf(task).word;
  const took = task.ended_at === null ? null : secondsOf(task, at);
  const how = task.status === 'input_required' ? answerCommand(task.task_id) : null;
  const parts = [word, took, interrupted ? '' : remarkOf(task, progress, at), how];
  return `${task.id}: ${parts.filter((part) => part !== null && part !== '').join(', ')}`;
}
