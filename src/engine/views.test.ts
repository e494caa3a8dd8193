import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { WaitRecord } from '../core/outside-record.ts';
import type { TaskRow } from '../core/records.ts';
import { MASK, SEALED } from '../core/secrets.ts';
import { echo, World } from './testing/world.suite.ts';
import { maskedView, viewRun, viewTask } from './views.ts';

/** Protocols for which there is a provider. */
const served = {
  protocols: () => ['test/v1', 'test/busy'],
  heldBackBy: (protocol: string) =>
    protocol === 'test/busy' ? ({ kind: 'rate', key: 'provider p1' } as const) : null,
};

async function stored(changes: Partial<TaskRow> = {}, task: object = {}) {
  const world = new World();
  const site = world.site();
  const task_id = await world.submit(site, task);
  const body = world.data.bodies.get(task_id);
  if (body === undefined) throw new Error('no body');
  return { task: { ...world.row(task_id), ...changes }, body };
}

function asking(kind: WaitRecord['kind']): TaskRow['attempts'] {
  const wait: WaitRecord = { kind, ask: 'which?', until: null, late: 'fail', token: 'mark', answer: null };
  return [{ attempt: 1, started_at: 1, ended_at: 2, provider: 'p', error: null, outside: { wait } }];
}

describe('the view of a task', () => {
  it('shows what it is, with times as text', async () => {
    const error = new GleitzeitError('GLZ2010', 'no').toRecord();
    const attempts = [{ attempt: 1, started_at: 0, ended_at: 1500, provider: 'p', error }];
    const record = await stored(
      { status: 'failed', attempts, attempt_count: 1, error, settled_at: 1_700_000_000_123 },
      {
        name: 'n',
        params: { a: [1] },
        priority: 'high',
        timeout: 5,
        total_timeout: 60,
        on_failure: 'continue',
      },
    );
    expect(viewTask(record, served)).toEqual({
      task_id: record.task.task_id,
      id: record.task.task_id,
      workflow_id: null,
      name: 'n',
      protocol: 'test/v1',
      method: 'echo',
      agent: null,
      params: { a: [1] },
      dependencies: [],
      priority: 'high',
      retry_config: record.body.spec.retry_config,
      timeout: 5,
      total_timeout: 60,
      on_failure: 'continue',
      created_at: '2023-11-14T22:13:20.000Z',
      settled_at: '2023-11-14T22:13:20.123Z',
      status: 'failed',
      attempt_count: 1,
      attempts: [
        {
          attempt: 1,
          started_at: '1970-01-01T00:00:00.000Z',
          ended_at: '1970-01-01T00:00:01.500Z',
          provider: 'p',
          error,
        },
      ],
      error,
      waiting_for: null,
      progress: null,
    });
  });

  it('shows an attempt that runs as not ended', async () => {
    const attempts = [{ attempt: 1, started_at: 0, ended_at: null, provider: null, error: null }];
    expect(viewTask(await stored({ status: 'executing', attempts }), served).attempts[0]?.ended_at).toBe(
      null,
    );
  });

  it('tells nothing of who holds it', async () => {
    const view = viewTask(await stored({ owner: 'engine-1', fence: 7 }), served);
    expect(JSON.stringify(view)).not.toMatch(/engine-1|fence|owner|suspect|rank/);
  });

  const due = { due_at: 1_700_000_000_000 };
  const until = '2023-11-14T22:13:20.000Z';
  it.each<[string, Partial<TaskRow>, object | null, object?]>([
    ['waits for dependencies', { status: 'waiting' }, { kind: 'dependencies', key: null, until: null }],
    ['waits for its retry', { status: 'retrying', ...due }, { kind: 'retry', key: null, until }],
    [
      'waits for someone',
      { status: 'input_required', due_at: null, attempts: asking('auth') },
      { kind: 'auth', key: null, until: null, ask: 'which?', attempt: 1 },
    ],
    [
      'waits for a service to call back',
      { status: 'executing', due_at: null, attempts: asking('notification') },
      { kind: 'notification', key: null, until: null, ask: 'which?', attempt: 1 },
    ],
    [
      'waits for a provider of its protocol',
      { status: 'queued' },
      { kind: 'provider', key: 'test/nobody', until: null },
      { protocol: 'test/nobody' },
    ],
    [
      'waits for its protocol, which is paused',
      { status: 'queued', lane: 'test/paused' },
      { kind: 'paused', key: 'test/paused', until: null },
    ],
    [
      'waits behind a line, not even claimed',
      { status: 'queued', lane: 'test/busy' },
      { kind: 'rate', key: 'provider p1', until: null },
    ],
    ['waits for a slot', { status: 'queued' }, { kind: 'slot', key: 'test/v1', until: null }],
    [
      'waits for a provider that has its method',
      { status: 'queued', parked: 'provider echo' },
      { kind: 'provider', key: 'test/v1', until: null },
    ],
    [
      'waits for a provider that serves its model',
      { status: 'queued', parked: 'provider echo model=large' },
      { kind: 'provider', key: 'test/v1 model=large', until: null },
    ],
    [
      'is parked with its run',
      { status: 'queued', parked: 'paused', workflow_id: 'w' },
      { kind: 'paused', key: 'w', until: null },
    ],
    [
      'is next where it is claimed',
      { status: 'queued', owner: 'e' },
      { kind: 'slot', key: 'test/v1', until: null },
    ],
    ['runs', { status: 'executing', owner: 'e' }, null],
    ['is over', { status: 'completed' }, null],
  ])('says that it %s', async (_what, changes, expected, task) => {
    const paused = { all: false, protocols: ['test/paused'], version: 1 };
    expect(viewTask(await stored(changes, task), served, { paused }).waiting_for).toEqual(expected);
  });
});

describe('a task in a line', () => {
  const parked = { status: 'queued', parked: 'line rate provider p' } as const;
  const opensIn = (protocol: string, { kind, key }: { kind: string; key: string }) =>
    `${protocol} ${kind} ${key}` === 'test/v1 rate provider p' ? 1500.2 : null;

  it('says when the first of it may come, by the clock of the store', async () => {
    const view = viewTask(await stored(parked), { ...served, opensIn }, { now: 1000 });
    const until = '1970-01-01T00:00:02.501Z';
    expect(view.waiting_for).toEqual({ kind: 'rate', key: 'provider p', until });
    const elsewhere = await stored({ ...parked, parked: 'line rate provider q' });
    expect(viewTask(elsewhere, { ...served, opensIn }, { now: 1000 }).waiting_for?.until).toBeNull();
  });

  it('says so too where it stands behind it, unclaimed', async () => {
    const heldBackBy = () => ({ kind: 'rate', key: 'provider p' }) as const;
    const view = viewTask(await stored({ status: 'queued' }), { ...served, opensIn, heldBackBy }, { now: 0 });
    expect(view.waiting_for?.until).toBe('1970-01-01T00:00:01.501Z');
  });
});

describe('the view of a run', () => {
  it('shows what it is, with times as text', async () => {
    const world = new World();
    const site = world.site();
    const workflow = { workflow_id: 'w', name: 'n', version: '3', tasks: [{ id: 'a', ...echo }] };
    await world.time.until(site.engine.submitWorkflow(workflow));
    const run = world.data.runs.get('w');
    expect(run === undefined ? null : viewRun(run)).toEqual({
      workflow_id: 'w',
      name: 'n',
      version: '3',
      status: 'running',
      created_at: '2023-11-14T22:13:20.000Z',
      settled_at: null,
      retry_of: null,
    });
    expect(run === undefined ? null : viewRun({ ...run, settled_at: 0 }).settled_at).toBe(
      '1970-01-01T00:00:00.000Z',
    );
  });
});

describe('a stored text', () => {
  it('is shown with its sealed parts masked, wherever they are', () => {
    const text = JSON.stringify({ a: { [SEALED]: 'x' }, b: [{ [SEALED]: 'y' }, 1], c: '$sealed' });
    expect(maskedView(text)).toEqual({ a: MASK, b: [MASK, 1], c: '$sealed' });
    expect(maskedView(JSON.stringify({ [SEALED]: 'x' }))).toBe(MASK);
    expect(maskedView('[1,"two"]')).toEqual([1, 'two']);
  });
});

describe('a task whose call was handed over', () => {
  it('waits for a bridge, until somebody begins it', async () => {
    const routed = await stored({ status: 'routed', parked: 'bridge search-1', due_at: 1_700_000_000_000 });
    expect(viewTask(routed, served).waiting_for).toEqual({
      kind: 'bridge',
      key: 'search-1',
      until: '2023-11-14T22:13:20.000Z',
    });
    const attempts = [{ attempt: 1, started_at: 0, ended_at: null, provider: 'search-1', error: null }];
    const begun = await stored({
      status: 'executing',
      attempts,
      attempt_count: 1,
      due_at: 1_700_000_000_000,
    });
    expect(viewTask(begun, served).waiting_for).toBeNull();
  });
});
