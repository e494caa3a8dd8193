import { describe, expect, it } from 'vitest';
import type { Client } from '../../sdk/index.ts';
import { events, introduction, type Told } from '../progress/events.suite.ts';
import { Progress, type ProgressEvent } from '../progress/model.ts';
import type { Shower } from '../progress/shower.ts';
import { follow } from './follow.ts';
import { reportOf } from './report.ts';

/** A server that tells these events and then nothing more, and answers as the run is by now. */
function clientOf(
  told: readonly ProgressEvent[],
  now: { status: string; settled_at: string | null },
): Client {
  const call = async (method: string) => ({
    ...now,
    ...(method === 'workflow.results' ? { results: {} } : {}),
  });
  const all = async function* () {
    yield* told;
  };
  return { call, events: all } as unknown as Client;
}

const shower = (seen: string[]): Shower => ({
  took: ({ event }) => void seen.push(event),
  noted: () => {},
  say: () => {},
  end: () => {},
});

const told: readonly Told[] = [
  ['workflow:started', null, { name: 'report', total: 1 }],
  ['task:queued', 'sum', introduction('sum')],
  ['task:failed', 'sum', { attempt: 1, error: { message: 'no' } }],
  ['workflow:failed', null, {}],
  ['workflow:reopened', null, { task_id: 't-sum' }],
  ['task:completed', 'sum', { attempt: 2 }],
  ['workflow:completed', null, {}],
];

describe('following a run', () => {
  const following = async (fresh: boolean) => {
    const all = events(told);
    const progress = new Progress();
    const seen: string[] = [];
    const client = clientOf(all, { status: 'completed', settled_at: all.at(-1)?.at ?? null });
    const subject = { kind: 'run', workflow_id: 'w' } as const;
    const signal = new AbortController().signal;
    const how = await follow({ client, subject, progress, shower: shower(seen), signal, fresh });
    return { how, last: seen.at(-1), status: progress.status };
  };

  it('goes on past an end after which it was opened again', async () => {
    expect(await following(false)).toEqual({
      how: 'settled',
      last: 'workflow:completed',
      status: 'completed',
    });
  });

  it('ends with its first end where it was started just now', async () => {
    expect(await following(true)).toEqual({ how: 'settled', last: 'workflow:failed', status: 'failed' });
  });
});

describe('the report of a run', () => {
  it('counts among those that failed only what has ended', async () => {
    const progress = new Progress();
    const failing = events([
      ['workflow:started', null, { name: 'report', total: 4 }],
      ['task:queued', 'fetch', introduction('fetch')],
      ['task:queued', 'slow', introduction('slow')],
      ['task:queued', 'done', introduction('done')],
      ['task:waiting', 'sum', introduction('sum', ['fetch'])],
      ['task:started', 'slow', { attempt: 1 }],
      ['task:completed', 'done', { attempt: 1 }],
      ['task:failed', 'fetch', { attempt: 1, error: { message: 'no' } }],
      ['task:skipped', 'sum', { because: 't-fetch' }],
      ['workflow:failed', null, {}],
    ]);
    for (const event of failing) progress.take(event);
    const client = clientOf([], { status: 'failed', settled_at: null });
    expect((await reportOf(client, 'w', progress)).failed).toEqual([
      { id: 'fetch', task_id: 't-fetch', status: 'failed', error: 'no' },
      { id: 'sum', task_id: 't-sum', status: 'skipped', error: 'because of fetch' },
    ]);
  });
});
