import { describe, expect, it } from 'vitest';
import { outside } from '../core/testing/builders.suite.ts';
import { echo, World } from '../engine/testing/world.suite.ts';
import { Gleitzeit } from './gleitzeit.ts';

function setUp() {
  const world = new World();
  const { engine, store, provider } = world.site();
  const router = { protocols: () => ['test/v1'] };
  const gleitzeit = new Gleitzeit({ engine, store, router, close: () => store.close() });
  return { world, gleitzeit, provider };
}

/** As a program without types would call it. */
const never = (value: unknown) => value as never;

describe('a Gleitzeit that is called with what it cannot use', () => {
  it.each([null, undefined, 7, 'text', []])('refuses to submit %j', async (work) => {
    const { gleitzeit } = setUp();
    await expect(gleitzeit.submit(never(work))).rejects.toMatchObject({
      code: 'GLZ1001',
      details: { field: '' },
    });
    await expect(gleitzeit.submitMany(never([echo, work]))).rejects.toMatchObject({
      code: 'GLZ1001',
      details: { field: '/tasks/1' },
    });
  });

  it.each([null, undefined, 7, {}])('refuses to submit many of %j', async (work) => {
    const submitted = setUp().gleitzeit.submitMany(never(work));
    await expect(submitted).rejects.toMatchObject({ code: 'GLZ1001', details: { field: '/tasks' } });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ status: 'completed' }, 'status'],
    [{ status: ['complete'] }, 'status'],
    [{ order: 'up' }, 'order'],
    [{ cursor: 7 }, 'cursor'],
    [{ cursor: 'x' }, 'cursor'],
    [{ created_from: '2020' }, 'created_from'],
    [{ created_to: Number.NaN }, 'created_to'],
    [{ stauts: ['failed'] }, 'stauts'],
    [null, 'query'],
  ])('refuses to list %j', async (query, field) => {
    const { gleitzeit } = setUp();
    const refused = { code: 'GLZ1012', details: { field } };
    await expect(gleitzeit.tasks(never(query))).rejects.toMatchObject(refused);
    await expect(gleitzeit.workflows(never(query))).rejects.toMatchObject(refused);
  });

  it('refuses what only one of the lists knows', async () => {
    const { gleitzeit } = setUp();
    const refused = (field: string) => ({ code: 'GLZ1012', details: { field } });
    await expect(gleitzeit.tasks(never({ status: ['paused'] }))).rejects.toMatchObject(refused('status'));
    await expect(gleitzeit.tasks(never({ priority: ['top'] }))).rejects.toMatchObject(refused('priority'));
    await expect(gleitzeit.tasks(never({ workflow_id: 7 }))).rejects.toMatchObject(refused('workflow_id'));
    await expect(gleitzeit.workflows(never({ name: 7 }))).rejects.toMatchObject(refused('name'));
  });

  it.each([-1, Number.NaN, '5'])('refuses to wait %j', async (wait) => {
    const { gleitzeit } = setUp();
    const refused = { code: 'GLZ1012', details: { field: 'wait' } };
    await expect(gleitzeit.result('t', never({ wait }))).rejects.toMatchObject(refused);
    await expect(gleitzeit.results('w', never({ wait }))).rejects.toMatchObject(refused);
    await expect(gleitzeit.stop(never({ deadline_ms: wait }))).rejects.toMatchObject({
      details: { field: 'deadline_ms' },
    });
  });

  it('refuses ids that are none', async () => {
    const { gleitzeit } = setUp();
    const refused = (field: string) => ({ code: 'GLZ1012', details: { field } });
    await expect(gleitzeit.result(never(undefined))).rejects.toMatchObject(refused('task_id'));
    await expect(gleitzeit.task(never(7))).rejects.toMatchObject(refused('task_id'));
    await expect(gleitzeit.workflow('')).rejects.toMatchObject(refused('workflow_id'));
    await expect(gleitzeit.cancel(never(null))).rejects.toMatchObject(refused('task_id'));
    await expect(gleitzeit.pauseWorkflow(never({}))).rejects.toMatchObject(refused('workflow_id'));
    await expect(gleitzeit.cancel('t', never(5))).rejects.toMatchObject(refused('reason'));
    await expect(gleitzeit.cancelWorkflow('w', never({}))).rejects.toMatchObject(refused('reason'));
    await expect(gleitzeit.respond('', 1)).rejects.toMatchObject(refused('task_id'));
    await expect(gleitzeit.respond('t', 1, never({ attempt: 0 }))).rejects.toMatchObject(refused('attempt'));
    await expect(gleitzeit.respond('t', 1, never({ atempt: 1 }))).rejects.toMatchObject(refused('atempt'));
  });
});

it('takes no option that only the program itself may give', async () => {
  const { gleitzeit } = setUp();
  const options = { id_prefix: 'zone.', secret_params: ['/a'], body_mark: 'm' };
  for (const [field, value] of Object.entries(options)) {
    const refused = { code: 'GLZ1012', details: { field } };
    await expect(gleitzeit.submit(echo, never({ [field]: value }))).rejects.toMatchObject(refused);
  }
});

describe('a Gleitzeit', () => {
  it('shows what a task asks, and answers it', async () => {
    const { world, gleitzeit, provider } = setUp();
    await world.time.until(gleitzeit.start());
    const [task] = await world.time.until(gleitzeit.submitMany(never([echo])));
    const task_id = task?.task_id ?? '';
    provider.last.answer(outside());
    await world.time.settle();
    const { status, waiting_for } = await gleitzeit.task(task_id);
    expect([status, waiting_for?.ask]).toEqual(['input_required', { question: 'which one?' }]);
    const attempt = waiting_for?.attempt ?? 0;
    expect(await world.time.until(gleitzeit.respond(task_id, 'this', { attempt }))).toEqual({
      status: 'queued',
    });
    expect(await world.time.until(gleitzeit.respond(task_id, 'this'))).toMatchObject({});
    await world.time.settle();
    provider.last.done(provider.last.response ?? null);
    expect(await world.time.until(gleitzeit.result(task_id, { wait: 1000 }))).toMatchObject({
      result: 'this',
    });
    await world.time.until(gleitzeit.stop());
  });

  it('lists a hundred unless told', async () => {
    const { world, gleitzeit } = setUp();
    const tasks = Array.from({ length: 101 }, () => echo);
    await world.time.until(gleitzeit.submitMany(never(tasks)));
    expect((await gleitzeit.tasks()).items).toHaveLength(100);
    expect((await gleitzeit.tasks({ limit: 7, order: 'oldest' })).items).toHaveLength(7);
    expect((await gleitzeit.workflows()).items).toEqual([]);
  });

  it('says after its stop that there must be a new one', async () => {
    const { world, gleitzeit } = setUp();
    await world.time.until(gleitzeit.start());
    await world.time.until(gleitzeit.stop());
    const refused = {
      code: 'GLZ9002',
      message: 'this Gleitzeit has been stopped',
      details: { hint: 'make a new one with createGleitzeit' },
    };
    await expect(gleitzeit.start()).rejects.toMatchObject(refused);
    await expect(gleitzeit.submit(never(echo))).rejects.toMatchObject(refused);
    await expect(gleitzeit.submitMany(never([echo]))).rejects.toMatchObject(refused);
    await expect(gleitzeit.stats()).rejects.toMatchObject(refused);
    expect(() => gleitzeit.events()).toThrow(refused.message);
    await world.time.until(gleitzeit.stop());
  });
});

describe('a task that nobody can take', () => {
  it('says for which protocol it waits', async () => {
    const { world, gleitzeit } = setUp();
    const { task_id } = await world.time.until(gleitzeit.submit({ ...echo, protocol: 'test/nobody' }));
    expect((await gleitzeit.task(task_id)).waiting_for).toEqual({
      kind: 'provider',
      key: 'test/nobody',
      until: null,
    });
    const other = await world.time.until(gleitzeit.submit(echo));
    expect((await gleitzeit.task(other.task_id)).waiting_for).toMatchObject({ kind: 'slot' });
  });
});
