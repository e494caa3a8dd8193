import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from './errors.ts';
import { isRunSettled, runStatuses } from './run.ts';
import {
  allows,
  follow,
  isSettled,
  type TaskStatus,
  type Transition,
  taskStatuses,
  transitions,
} from './task.ts';

const everywhere = ['new', ...taskStatuses] as const;
const names = Object.keys(transitions) as Transition[];
const settled = ['completed', 'failed', 'cancelled', 'skipped'];

/** Every arrow once, as `from transition to`. */
const arrows = [
  'new wait waiting',
  'new enqueue queued',
  'waiting release queued',
  'queued validate validated',
  'validated route routed',
  'routed start executing',
  'queued reuse completed',
  'executing complete completed',
  'executing retry retrying',
  'executing ask input_required',
  'executing await executing',
  'input_required resume queued',
  'executing resume queued',
  'retrying become_due queued',
  'executing rescue queued',
  'queued fail failed',
  'routed fail failed',
  'executing fail failed',
  'retrying fail failed',
  'input_required fail failed',
  'waiting skip skipped',
  'waiting cancel cancelled',
  'queued cancel cancelled',
  'routed cancel cancelled',
  'executing cancel cancelled',
  'retrying cancel cancelled',
  'input_required cancel cancelled',
  'failed reopen queued',
  'cancelled reopen queued',
  'skipped wait_again waiting',
  'failed wait_again waiting',
  'cancelled wait_again waiting',
];

describe('statuses', () => {
  it('are these words', () => {
    expect(taskStatuses).toEqual([
      'waiting',
      'queued',
      'validated',
      'routed',
      'executing',
      'retrying',
      'input_required',
      'completed',
      'failed',
      'cancelled',
      'skipped',
    ]);
    expect(taskStatuses.filter(isSettled)).toEqual(settled);
  });

  it('of runs are these', () => {
    expect(runStatuses).toEqual(['running', 'paused', 'completed', 'failed', 'cancelled']);
    expect(runStatuses.filter(isRunSettled)).toEqual(['completed', 'failed', 'cancelled']);
  });
});

describe('transitions', () => {
  it('are exactly the arrows of the table', () => {
    const found = names.flatMap((name) =>
      everywhere.filter((from) => allows(name, from)).map((from) => `${from} ${name} ${follow(name, from)}`),
    );
    expect(found.sort()).toEqual([...arrows].sort());
  });

  it('refuse everything else, saying what would be legal', () => {
    expect(() => follow('wait_again', 'completed')).toThrow('a task that is completed cannot wait again');
    let refused = 0;
    for (const name of names) {
      for (const from of everywhere.filter((status) => !allows(name, status))) {
        try {
          follow(name, from);
        } catch (thrown) {
          const error = thrown as GleitzeitError;
          expect(error).toBeInstanceOf(GleitzeitError);
          expect(error.code).toBe('GLZ1011');
          expect(error.details.reason).toBe(`${name} starts from: ${transitions[name].from.join(', ')}`);
          refused++;
        }
      }
    }
    expect(refused).toBe(names.length * everywhere.length - arrows.length);
  });

  it('lead to every status', () => {
    const reached = new Set<string>(['new']);
    for (const from of reached) {
      for (const name of names) if (allows(name, from as TaskStatus)) reached.add(transitions[name].to);
    }
    expect(taskStatuses.filter((status) => !reached.has(status))).toEqual([]);
  });

  it('leave a settled status only when someone reopens the task or what it waits for', () => {
    const leaving = names.filter((name) => settled.some((status) => allows(name, status as TaskStatus)));
    expect(leaving).toEqual(['reopen', 'wait_again']);
    expect(names.filter((name) => allows(name, 'completed'))).toEqual([]);
  });

  it('never lead outside the table, wherever one walks', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 50 }), (walk) => {
        let status: TaskStatus | 'new' = 'new';
        for (const name of walk) {
          if (!allows(name, status)) continue;
          const next: TaskStatus = follow(name, status);
          expect(arrows).toContain(`${status} ${name} ${next}`);
          status = next;
        }
      }),
    );
  });
});
