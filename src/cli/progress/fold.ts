import type { TaskStatus } from '../../core/task.ts';
import type { TaskProgress } from './model.ts';
import { signOf } from './words.ts';

export type Chosen = {
  /** In the order of the definition. */
  readonly shown: readonly TaskProgress[];
  /** What is left out, counted by what it is; null where nothing is. */
  readonly folded: string | null;
};

/** What somebody who watches wants to see first. */
const ranks: Readonly<Record<TaskStatus, number>> = {
  failed: 0,
  input_required: 0,
  executing: 1,
  retrying: 1,
  queued: 2,
  validated: 2,
  routed: 2,
  cancelled: 3,
  completed: 4,
  waiting: 5,
  skipped: 6,
};

/** All tasks where there is room, otherwise the most telling ones and a line about the rest. */
export function chooseTasks(tasks: readonly TaskProgress[], rows: number): Chosen {
  if (tasks.length <= rows) return { shown: tasks, folded: null };
  const ranked = tasks.map((task, index) => ({ task, index })).sort((a, b) => order(a, b));
  const kept = new Set(ranked.slice(0, rows - 1).map(({ index }) => index));
  const shown = tasks.filter((_, index) => kept.has(index));
  const rest = tasks.filter((_, index) => !kept.has(index));
  return { shown, folded: `${rest.length} more: ${counted(rest)}` };
}

type Ranked = { readonly task: TaskProgress; readonly index: number };

/** Of what has ended the newest, of everything else the first in line. */
function order(a: Ranked, b: Ranked): number {
  const rank = ranks[a.task.status] - ranks[b.task.status];
  if (rank !== 0) return rank;
  const newest = (b.task.ended_at ?? 0) - (a.task.ended_at ?? 0);
  return newest !== 0 ? newest : a.index - b.index;
}

function counted(tasks: readonly TaskProgress[]): string {
  const counts = new Map<string, number>();
  for (const task of tasks) {
    const { word } = signOf(task);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
