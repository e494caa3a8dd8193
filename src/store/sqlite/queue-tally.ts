import { type Priority, priorities } from '../../core/priority.ts';
import type { TaskRow } from '../../core/records.ts';
import { priorityCodes } from './codes.ts';

/** How many urgent, high, normal and low tasks. */
type Counts = number[];

/** How many tasks are queued, by lane and priority. Kept as text in one row, so that counting them costs nothing. */
export class QueueTally {
  readonly #lanes = new Map<string, Counts>();

  load(text: string): void {
    this.#lanes.clear();
    for (const [lane, counts] of Object.entries(JSON.parse(text) as Record<string, Counts>))
      this.#lanes.set(lane, counts);
  }

  /** Lanes without tasks are left out: protocols come and go. */
  text(): string {
    const lanes = [...this.#lanes].filter(([, counts]) => counts.some((count) => count > 0));
    return JSON.stringify(Object.fromEntries(lanes));
  }

  count({ lane, priority }: Pick<TaskRow, 'lane' | 'priority'>, by: number): void {
    let counts = this.#lanes.get(lane);
    if (counts === undefined) {
      counts = [0, 0, 0, 0];
      this.#lanes.set(lane, counts);
    }
    const code = priorityCodes[priority];
    counts[code] = (counts[code] ?? 0) + by;
  }

  /** A task goes from one status to another. */
  move(before: TaskRow, after: TaskRow): void {
    const by = (after.status === 'queued' ? 1 : 0) - (before.status === 'queued' ? 1 : 0);
    if (by !== 0) this.count(after, by);
  }

  /** By lane as the bytes of its name sort, most urgent first; what has no tasks is left out. */
  *entries(): Generator<[lane: string, priority: Priority, count: number]> {
    const lanes = [...this.#lanes].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const [lane, counts] of lanes) {
      for (const priority of priorities) {
        const count = counts[priorityCodes[priority]] ?? 0;
        if (count > 0) yield [lane, priority, count];
      }
    }
  }
}
