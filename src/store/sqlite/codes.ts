import type { Priority } from '../../core/priority.ts';
import type { OnFailure } from '../../core/records.ts';
import type { RunStatus } from '../../core/run.ts';
import type { TaskStatus } from '../../core/task.ts';

/** The numbers that stand for words in the tables. They are in every store there is: add, never change. */
export const taskStatusCodes: Readonly<Record<TaskStatus, number>> = {
  waiting: 0,
  queued: 1,
  validated: 2,
  routed: 3,
  executing: 4,
  retrying: 5,
  input_required: 6,
  completed: 7,
  failed: 8,
  cancelled: 9,
  skipped: 10,
};

export const runStatusCodes: Readonly<Record<RunStatus, number>> = {
  running: 0,
  paused: 1,
  completed: 2,
  failed: 3,
  cancelled: 4,
};

export const priorityCodes: Readonly<Record<Priority, number>> = { urgent: 0, high: 1, normal: 2, low: 3 };

export const onFailureCodes: Readonly<Record<OnFailure, number>> = { skip: 0, continue: 1 };

export const taskStatusOf = reader('task status', taskStatusCodes);
export const runStatusOf = reader('run status', runStatusCodes);
export const priorityOf = reader('priority', priorityCodes);
export const onFailureOf = reader('on_failure', onFailureCodes);

function reader<Word extends string>(
  what: string,
  codes: Readonly<Record<Word, number>>,
): (code: unknown) => Word {
  const words: Word[] = [];
  for (const word of Object.keys(codes) as Word[]) words[codes[word]] = word;
  return (code) => {
    const word = words[code as number];
    if (word === undefined) throw new TypeError(`${String(code)} stands for no ${what}`);
    return word;
  };
}
