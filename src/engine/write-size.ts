import type { Write } from '../core/writes.ts';

/** What a commit counts by, so that none takes too much. */
export function recordsIn(write: Write): number {
  return write.kind === 'submit' ? write.runs.reduce((sum, run) => sum + run.tasks.length, 0) : 1;
}

export function charactersIn(write: Write): number {
  if (write.kind === 'settle' || write.kind === 'arrive')
    return write.answer.word === 'done' ? write.answer.result.length : 0;
  if (write.kind === 'respond') return write.response.length;
  if (write.kind !== 'submit') return 0;
  let characters = 0;
  for (const { workflow, tasks } of write.runs) {
    characters += workflow?.input.length ?? 0;
    for (const { params, reused } of tasks) characters += params.length + (reused?.result.length ?? 0);
  }
  return characters;
}
