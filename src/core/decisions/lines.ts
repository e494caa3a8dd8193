import type { Ledger } from '../ledger.ts';
import { rankOf } from '../priority.ts';
import type { TaskRow } from '../records.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { parkedNow } from './lease.ts';

export function callLine(ledger: Ledger, write: WriteOf<'call_line'>): AnswerTo<'call_line'> {
  const { line, places } = write;
  // One more is looked at than comes.
  const tasks = ledger.lineTasks(line, places + 1);
  return { called: call(ledger, tasks.slice(0, places), write.fair), more: tasks.length > places };
}

export function callLines(ledger: Ledger, write: WriteOf<'call_lines'>): AnswerTo<'call_lines'> {
  const { places, after, limit } = write;
  const lines = ledger.lines(write);
  const called = lines.flatMap((line) =>
    call(ledger, ledger.lineTasks(line, places), false).map((task_id) => ({ task_id, line })),
  );
  return { called, next: lines.length < limit ? null : (lines.at(-1) ?? after) };
}

function call(ledger: Ledger, tasks: readonly TaskRow[], fair: boolean): string[] {
  for (const task of tasks) {
    const rank = fair ? rankOf(task.priority, ledger.now) : task.rank;
    ledger.putTask({ ...task, rank, parked: parkedNow(ledger, task) });
  }
  return tasks.map(({ task_id }) => task_id);
}
