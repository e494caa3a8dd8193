import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Changes } from './changes.ts';
import { handOver } from './hand-over.ts';
import type { TaskRow } from './records.ts';

const row = (task_id: string, other: Partial<TaskRow> = {}): TaskRow =>
  ({
    task_id,
    lane: 'a',
    status: 'queued',
    owner: null,
    parked: null,
    rank: 0,
    fence: 0,
    ...other,
  }) as TaskRow;

const changesOf = (tasks: readonly TaskRow[], added: readonly TaskRow[]) =>
  ({ tasks, newTasks: added.map((task) => ({ row: task, body: {} })), settled: [] }) as unknown as Changes;

const claim = { owner: 'e1', limit: 10, lanes: ['a'] };

describe('a hand-over', () => {
  it('claims what the commit makes claimable, and counts the claim', () => {
    const { changes, taken } = handOver(changesOf([row('old', { fence: 3 })], [row('new')]), claim, () => 1);
    expect(taken.map(({ task_id, owner, fence }) => [task_id, owner, fence])).toEqual([
      ['old', 'e1', 4],
      ['new', 'e1', 1],
    ]);
    expect(changes.tasks).toEqual([taken[0]]);
    expect(changes.newTasks.map((task) => task.row)).toEqual([taken[1]]);
  });

  it('takes no more of a lane than is asked of it', () => {
    const added = [row('a1'), row('b1', { lane: 'b' }), row('a2'), row('b2', { lane: 'b' })];
    const bounded = { ...claim, lanes: ['a', 'b'], most: new Map([['a', 1]]) };
    const { taken } = handOver(changesOf([], added), bounded, () => 1);
    expect(taken.map(({ task_id }) => task_id)).toEqual(['a1', 'b1', 'b2']);
  });

  it('leaves alone what may not be claimed, and other lanes', () => {
    const others = [
      row('waiting', { status: 'waiting' }),
      row('parked', { parked: 'paused' }),
      row('held', { owner: 'e2' }),
      row('elsewhere', { lane: 'b' }),
    ];
    const changes = changesOf(others, others);
    expect(handOver(changes, claim, () => 1)).toEqual({ changes, taken: [] });
  });

  it('takes the best rank, then what was accepted first, up to the limit', () => {
    const ranked = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(ranked, ranked, fc.integer({ min: 0, max: 30 }), (known, added, limit) => {
        const tasks = known.map((rank, index) => row(`k${index}`, { rank }));
        const newTasks = added.map((rank, index) => row(`n${index}`, { rank }));
        // Whatever order the changes come in, the order of acceptance is what counts.
        const orderOf = (task_id: string) => Number(task_id.slice(1));
        const { changes, taken } = handOver(
          changesOf(tasks.toReversed(), newTasks),
          { ...claim, limit },
          orderOf,
        );
        const all = [...tasks, ...newTasks];
        const best = all
          .map((task, place) => ({ task, place }))
          .sort((a, b) => a.task.rank - b.task.rank || a.place - b.place)
          .slice(0, limit);
        expect(taken.map(({ task_id }) => task_id)).toEqual(best.map(({ task }) => task.task_id));
        const owned = [...changes.tasks, ...changes.newTasks.map((task) => task.row)].filter(
          ({ owner }) => owner === 'e1',
        );
        expect(owned).toHaveLength(taken.length);
      }),
    );
  });
});
