import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_REUSED } from '../core/limits.ts';
import type { ProviderCall } from '../core/ports/provider.ts';
import type { AcceptedRun } from '../core/writes.ts';
import type { RetryOptions } from './retry-run.ts';
import { done, failed } from './testing/provider.suite.ts';
import { idIn, type Site, step, World } from './testing/world.suite.ts';

/** a → b → c → d, and e beside them. */
const chain = {
  name: 'chain',
  version: '7',
  tasks: [
    step('a', { in: '${workflow.input.word}' }),
    step('b', { from: '${a.result.said}' }),
    step(
      'c',
      { from: '${b.result.said}', in: '${workflow.input.word}' },
      { total_timeout: 60, priority: 'high' },
    ),
    step('d', { from: '${c.result.said}' }),
    step('e', {}, { on_failure: 'continue' }),
  ],
};

/** Says what it was asked, and fails for the tasks named. */
function saying(names: readonly string[], of: AcceptedRun | null = null) {
  return (call: ProviderCall) => {
    const id = of?.tasks.find(([, task_id]) => task_id === call.task_id)?.[0] ?? '';
    const word = call.params['from'] ?? call.params['in'] ?? '-';
    return names.includes(id) ? failed() : done({ said: `(${String(word)})` });
  };
}

async function ended(tasksThatFail: readonly string[], workflow: object = chain) {
  const world = new World();
  const site = world.site();
  const old = await world.time.until(site.engine.submitWorkflow(workflow, { input: { word: 'w' } }));
  site.provider.reply = saying(tasksThatFail, old);
  await world.time.until(site.engine.start());
  await world.time.until(site.engine.runResult(old.workflow_id ?? '', 60_000));
  return { world, site, old, retry: retrying(world, site, old) };
}

function retrying(world: World, { engine, provider, store }: Site, old: AcceptedRun) {
  return async (options: RetryOptions = {}) => {
    provider.calls.length = 0;
    provider.reply = saying([]);
    const run = await world.time.until(engine.retryRun(old.workflow_id ?? '', options));
    const workflow_id = run.workflow_id ?? '';
    const outcome = await world.time.until(engine.runResult(workflow_id, 60_000));
    const rows = await store.reads.runResults(workflow_id);
    const said = Object.entries(rows).map(([id, { result }]) => [id, JSON.parse(result).said]);
    const ids = new Map(run.tasks.map(([id, task_id]) => [task_id, id]));
    const called = provider.calls.map(({ task_id }) => ids.get(task_id)).sort();
    return { run, workflow_id, status: outcome?.status, said: Object.fromEntries(said), called };
  };
}

async function refusal(world: World, work: Promise<unknown>): Promise<GleitzeitError> {
  return world.time.until(
    work.then(
      () => {
        throw new Error('it was not refused');
      },
      (thrown: unknown) => GleitzeitError.from(thrown),
    ),
  );
}

describe('a run that is retried', () => {
  it('runs again from the task that failed, with the results of those before', async () => {
    const { world, site, old, retry } = await ended(['c']);
    const { run, workflow_id, status, said, called } = await retry();
    expect([status, called]).toEqual(['completed', ['c', 'd']]);
    expect(said).toEqual({ a: '(w)', b: '((w))', c: '(((w)))', d: '((((w))))', e: '(-)' });
    expect(run).toMatchObject({ status: 'running', created: true });
    expect(workflow_id).not.toBe(old.workflow_id);
    expect(world.data.runs.get(workflow_id)).toMatchObject({
      retry_of: old.workflow_id,
      name: 'chain',
      version: '7',
    });
    expect(world.row(idIn(run.tasks, 'c'))).toMatchObject({ priority: 'high', total_timeout: 60 });
    const reused = idIn(run.tasks, 'a');
    expect(world.eventsOf(reused)).toEqual(['task:queued', 'task:reused']);
    expect(await world.time.until(site.engine.result(reused, 60_000))).toMatchObject({ status: 'completed' });
    expect(world.data.runs.get(old.workflow_id ?? '')?.status).toBe('failed');
  });

  it('can start earlier, by name, also when nothing failed', async () => {
    const { retry } = await ended([]);
    expect(await retry({ from: 'b' })).toMatchObject({ status: 'completed', called: ['b', 'c', 'd'] });
    expect(await retry({ from: 'd' })).toMatchObject({ called: ['d'] });
    expect(await retry({ from: 'e' })).toMatchObject({ called: ['e'] });
  });

  it('sees an edited input from there on, while those before keep their results', async () => {
    const { world, retry } = await ended(['c']);
    const { said, called, workflow_id } = await retry({ input: { word: 'new' } });
    expect([called, said.a, said.c]).toEqual([['c', 'd'], '(w)', '(((w)))']);
    expect(world.data.inputs.get(workflow_id)).toBe('{"word":"new"}');
    const again = await retry({ from: 'a', input: { word: 'new' } });
    expect([again.called, again.said.c]).toEqual([['a', 'b', 'c', 'd'], '(((new)))']);
    const kept = await retry({ from: 'c' });
    expect(world.data.inputs.get(kept.workflow_id)).toBe('{"word":"w"}');
    expect(world.data.inputs.get((await retry({ from: 'c', input: null })).workflow_id)).toBe('null');
  });

  it('never reuses what came of something that runs again', async () => {
    const tasks = [
      step('bad', {}, { on_failure: 'continue' }),
      step('after', {}, { dependencies: ['bad'] }),
      step('other'),
      step('late', {}, { dependencies: ['after', 'other'] }),
    ];
    const { retry } = await ended(['bad'], { tasks });
    expect(await retry({ from: 'other' })).toMatchObject({ called: ['after', 'bad', 'late', 'other'] });
  });

  it('starts from what was cancelled where nothing failed', async () => {
    const world = new World();
    const site = await world.started();
    const run = await world.time.until(site.engine.submitWorkflow({ tasks: [step('a'), step('b')] }));
    await world.time.settle();
    site.provider.callOf(idIn(run.tasks, 'b')).done({ said: 'b' });
    await world.time.settle();
    await world.time.until(site.engine.cancelRun(run.workflow_id ?? ''));
    expect(await retrying(world, site, run)()).toMatchObject({ called: ['a'], said: { b: 'b' } });
  });

  it('can be retried in its turn', async () => {
    const { world, site, retry } = await ended(['c']);
    const { run } = await retry();
    const second = await retrying(world, site, run)({ from: 'd' });
    expect(second).toMatchObject({ status: 'completed', called: ['d'], said: { a: '(w)' } });
    expect(world.data.runs.get(second.workflow_id)?.retry_of).toBe(run.workflow_id);
  });

  it('is the same one when it is asked for again under the same key', async () => {
    const { world, site, old, retry } = await ended(['c']);
    const { run } = await retry({ idempotency_key: 'k' });
    const ask = (options: RetryOptions) =>
      site.engine.retryRun(old.workflow_id ?? '', { idempotency_key: 'k', ...options });
    expect(await world.time.until(ask({}))).toMatchObject({ workflow_id: run.workflow_id, created: false });
    expect((await refusal(world, ask({ from: 'a' }))).code).toBe('GLZ1009');
    expect((await refusal(world, ask({ input: 1 }))).code).toBe('GLZ1009');
  });

  it('belongs to the trace of whoever retries, not to that of the first', async () => {
    const world = new World();
    const site = await world.started();
    const trace = (n: number) => `00-4bf92f3577b34da6a3ce929d0e0e473${n}-00f067aa0ba902b7-01`;
    site.provider.reply = () => failed();
    const old = await world.time.until(
      site.engine.submitWorkflow({ tasks: [step('a')] }, { traceparent: trace(1) }),
    );
    await world.time.until(site.engine.runResult(old.workflow_id ?? '', 60_000));
    await retrying(world, site, old)();
    expect(site.provider.last.traceparent).toBe(undefined);
    await retrying(world, site, old)({ traceparent: trace(2) });
    expect(site.provider.last.traceparent).toBe(trace(2));
  });

  it('of thousands of tasks has them all', async () => {
    const tasks = Array.from({ length: 2500 }, (_, index) => step(`t${index}`));
    const { world, retry } = await ended(['t2499'], { tasks });
    const { run, called } = await retry();
    expect([run.tasks.length, called]).toEqual([2500, ['t2499']]);
    expect(world.data.runs.get(run.workflow_id ?? '')).toMatchObject({ status: 'completed', total: 2500 });
  });
});

describe('what cannot be retried', () => {
  it.each<[string, RetryOptions, string, object]>([
    [
      'a task that is not in the run',
      { from: 'cc' },
      'GLZ1012',
      { field: 'from', hint: 'tasks: a, b, c, d, e' },
    ],
    ['nothing by name', { from: '' }, 'GLZ1012', { field: 'from' }],
    [
      'an option that there is not',
      { form: 'c' } as RetryOptions,
      'GLZ1012',
      { hint: 'did you mean "from"?' },
    ],
    ['nothing failed', {}, 'GLZ1011', { field: 'from', hint: expect.stringContaining('"from"') }],
  ])('%s', async (_, options, code, details) => {
    const { world, site, old } = await ended([]);
    const error = await refusal(world, site.engine.retryRun(old.workflow_id ?? '', options));
    expect(error).toMatchObject({ code, details });
  });

  it('a run that is not there, or has not ended', async () => {
    const world = new World();
    const site = await world.started();
    expect(await refusal(world, site.engine.retryRun('w'))).toMatchObject({
      code: 'GLZ1010',
      details: { field: 'workflow_id', hint: expect.stringContaining('retention') },
    });
    const task_id = await world.submit(site);
    expect((await refusal(world, site.engine.retryRun(task_id))).details.hint).toContain('id of a task');
    const run = await world.time.until(site.engine.submitWorkflow({ tasks: [step('a')] }));
    expect(await refusal(world, site.engine.retryRun(run.workflow_id ?? ''))).toMatchObject({
      code: 'GLZ1011',
      details: { field: 'workflow_id', hint: expect.stringContaining('cancel') },
    });
  });

  it('a run that is removed meanwhile, and results that are too large together', async () => {
    const { world, site, old } = await ended(['c']);
    const { reads } = site.store;
    const { result, task } = reads;
    Object.assign(reads, { result: async () => null });
    const ask = () => site.engine.retryRun(old.workflow_id ?? '');
    expect((await refusal(world, ask())).code).toBe('GLZ1010');
    const large = { result: 'x'.repeat(MAX_REUSED / 2) };
    Object.assign(reads, { result: async () => large });
    expect((await refusal(world, ask())).code).toBe('GLZ1007');
    Object.assign(reads, { result, task: async () => null });
    expect((await refusal(world, ask())).code).toBe('GLZ1010');
    Object.assign(reads, { task });
  });
});
