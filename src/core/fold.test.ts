import { describe, expect, it } from 'vitest';
import type { Event, Happening } from './events.ts';
import { emptyRun, type FoldedRun, fold, foldEvent } from './fold.ts';
import { attempt, introduced, log, queued, start, waiting } from './testing/log.suite.ts';

describe('a workflow in the log', () => {
  const started: Happening = { event: 'workflow:started', data: start };
  const runAfter = (...happenings: Happening[]) => fold(log(started, ...happenings)).run;
  const running = {
    workflow_id: 'w',
    ...start,
    status: 'running',
    created_at: 10,
    settled_at: null,
    retry_of: null,
  };

  it('starts', () => {
    expect(fold([])).toEqual({ run: null, seq: 0, tasks: new Map() });
    expect(fold(log(started))).toEqual({ run: running, seq: 1, tasks: new Map() });
  });

  it.each([
    [{ event: 'workflow:paused', data: {} }, 'paused', null],
    [{ event: 'workflow:resumed', data: {} }, 'running', null],
    [{ event: 'workflow:completed', data: {} }, 'completed', 20],
    [{ event: 'workflow:failed', data: { failed: 1 } }, 'failed', 20],
    [{ event: 'workflow:cancelled', data: { reason: null } }, 'cancelled', 20],
  ] as const)('%o', (happening, status, settled_at) =>
    expect(runAfter(happening)).toEqual({ ...running, status, settled_at }),
  );

  it('may go on from an earlier one', () => {
    const again: Happening = { event: 'workflow:started', data: { ...start, retry_of: 'w0' } };
    expect(fold(log(again)).run).toEqual({ ...running, retry_of: 'w0' });
  });

  it('is opened again', () => {
    const ended: Happening = { event: 'workflow:failed', data: { failed: 1 } };
    expect(runAfter(ended, { event: 'workflow:reopened', data: { task_id: 't' } })).toEqual(running);
  });

  it('without an id is still one', () => {
    const [event] = log(started);
    expect(fold(event === undefined ? [] : [{ ...event, workflow_id: null }]).run?.workflow_id).toBe('');
  });
});

describe('a log that is not one', () => {
  const refused = (events: readonly Event[]) => {
    try {
      fold(events);
      return null;
    } catch (thrown) {
      const { code, message, details } = thrown as { code: string; message: string; details: object };
      return { code, message, details };
    }
  };
  const corrupt = (message: string) => ({
    code: 'GLZ3005',
    message,
    details: { reason: 'the log of a run cannot be read' },
  });
  const [first, second, third] = log(introduced, ...attempt(1)) as [Event, Event, Event];

  it.each([
    ['has a gap', [first, third], 'event 3 (task:routed)', 1],
    ['is out of order', [first, second, first], 'event 1 (task:queued)', 2],
    ['repeats an event', [first, first], 'event 1 (task:queued)', 1],
    ['begins in the middle', [second], 'event 2 (task:validated)', 0],
  ])('%s', (_, events, name, last) => {
    expect(refused(events)).toEqual(
      corrupt(`${name} follows number ${last} of its run: the log has a gap or is out of order`),
    );
  });

  it('names a task nobody introduced', () => {
    expect(refused(log(...attempt(1)))).toEqual(
      corrupt('event 1 (task:validated) is about the task t, which the log never introduced'),
    );
  });

  it('introduces a task twice', () => {
    expect(refused(log(introduced, introduced))).toEqual(
      corrupt('event 2 (task:queued) introduces the task t a second time'),
    );
  });

  it('says something of a run that never started', () => {
    expect(refused(log({ event: 'workflow:paused', data: {} }))).toEqual(
      corrupt('event 1 (workflow:paused) comes before the start of its run'),
    );
  });

  it('holds what belongs to no run', () => {
    const stranger: Happening = { event: 'provider:connected', data: { provider: 'p', protocol: 'x/v1' } };
    expect(refused(log({ event: 'workflow:started', data: start }, stranger))).toEqual(
      corrupt('event 2 (provider:connected) does not belong to a run'),
    );
  });

  it.each([
    [[introduced, queued('dependencies_settled')], 'release'],
    [[waiting, queued('due')], 'become due'],
    [[introduced, queued('rescued')], 'rescue'],
    [[introduced, { event: 'task:queued', task_id: 't', data: { reason: 'submitted' } }], 'enqueue'],
    [[introduced, { event: 'task:skipped', task_id: 't', data: { because: 'x' } }], 'skip'],
  ] as [Happening[], string][])('tells of what cannot be: %#', (happenings, verb) => {
    expect(refused(log(...happenings))?.message).toContain(` cannot ${verb}`);
  });
});

describe('foldEvent', () => {
  it('uses the state up instead of copying it', () => {
    const [first, second] = log(introduced, ...attempt(1)) as [Event, Event];
    const state: FoldedRun = foldEvent(emptyRun(), first);
    const next = foldEvent(state, second);
    expect(next.tasks).toBe(state.tasks);
    expect([state.seq, next.seq]).toEqual([1, 2]);
    expect(emptyRun().tasks).not.toBe(emptyRun().tasks);
  });
});
