import { expect, it } from 'vitest';
import type { Timers } from '../../core/ports/clock.ts';
import { callZone } from './call.ts';

it('a task that was accepted is asked for less and less often, and every 30 s in the end', async () => {
  const pauses: number[] = [];
  const timers: Timers = {
    soon: queueMicrotask,
    after: (ms, run) => {
      pauses.push(ms);
      queueMicrotask(run);
      return () => {};
    },
  };
  let polls = 0;
  const line = {
    ask: async ({ method }: { readonly method: string }) => {
      if (method === 'execute_task') return { result: { status: 'accepted', task_id: 't' } };
      return { result: { status: ++polls > 11 ? 'success' : 'pending', task_id: 't' } };
    },
    close: async () => {},
  };
  const parts = {
    ...{ line, timers, params: () => ({}), result: null, budget_ms: 0, poll_ms: 1000 },
    ...{ secrets: () => [], newId: () => 'an id' },
  };
  const { signal } = new AbortController();
  const call = {
    method: 'ask',
    params: {},
    call_id: 'c',
    task_id: 't',
    workflow_id: null,
    attempt: 1,
    signal,
  };
  expect(await callZone(parts, call, signal)).toMatchObject({ word: 'done' });
  expect(pauses.map(Math.round)).toEqual([
    1000, 1500, 2250, 3375, 5063, 7594, 11391, 17086, 25629, 30000, 30000,
  ]);
});
