import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { SEALED } from '../core/secrets.ts';
import { done } from './testing/provider.suite.ts';
import { echo, type Site, World } from './testing/world.suite.ts';

const away = () => new GleitzeitError('GLZ3003', 'disk full');

async function refusal(world: World, promise: Promise<unknown>): Promise<GleitzeitError> {
  const error = await world.time.until(
    promise.then(
      () => null,
      (thrown: unknown) => GleitzeitError.from(thrown),
    ),
  );
  if (error === null) throw new Error('it was accepted');
  return error;
}

function setUp(): { world: World; site: Site } {
  const world = new World();
  return { world, site: world.site() };
}

describe('a submission', () => {
  it('is answered when it is durable, and not before', async () => {
    const { world, site } = setUp();
    const gate = Promise.withResolvers<void>();
    site.faults.beforeCommit = () => gate.promise;
    let answered = false;
    const accepted = site.engine.submit(echo).finally(() => {
      answered = true;
    });
    await world.time.advance(1000);
    expect(answered).toBe(false);
    gate.resolve();
    const { tasks, workflow_id, status, created } = await world.time.until(accepted);
    const [task_id = ''] = tasks.map(([, task_id]) => task_id);
    expect({ workflow_id, status, created }).toEqual({ workflow_id: null, status: 'queued', created: true });
    expect(world.row(task_id).status).toBe('queued');
  });

  it('is refused when the store failed, so that the caller knows', async () => {
    const { world, site } = setUp();
    site.faults.beforeCommit = () => {
      throw away();
    };
    expect((await refusal(world, site.engine.submit(echo))).code).toBe('GLZ3003');
    expect(world.data.tasks.size).toBe(0);
  });

  it('with an option nobody knows is refused, with the one that was meant', async () => {
    const { world, site } = setUp();
    const misspelt = { idempotencykey: 'k' } as never;
    const refused = {
      code: 'GLZ1012',
      details: { field: 'idempotencykey', hint: 'did you mean "idempotency_key"?' },
    };
    const workflow = { tasks: [{ id: 'a', ...echo }] };
    expect(await refusal(world, site.engine.submit(echo, misspelt))).toMatchObject(refused);
    expect(await refusal(world, site.engine.submitWorkflow(workflow, misspelt))).toMatchObject(refused);
    expect(await refusal(world, site.engine.submit(echo, { input: 1 } as never))).toMatchObject({
      code: 'GLZ1012',
      details: { field: 'input' },
    });
    expect(await refusal(world, site.engine.submit(echo, null as never))).toMatchObject({
      code: 'GLZ1012',
      details: { field: 'options' },
    });
    const entry = { task: echo, idempotencykey: 'k' };
    expect(await refusal(world, site.engine.submitMany([entry]))).toMatchObject({
      code: 'GLZ1012',
      details: { field: '/tasks/0/idempotencykey' },
    });
    expect(world.data.tasks.size).toBe(0);
  });

  it('of many that is no list is refused', async () => {
    const { world, site } = setUp();
    expect(await refusal(world, site.engine.submitMany(null as never))).toMatchObject({
      code: 'GLZ1001',
      details: { field: '/tasks' },
    });
  });

  it('that is wrong is refused before anything is written', async () => {
    const { world, site } = setUp();
    expect((await refusal(world, site.engine.submit(7))).code).toBe('GLZ1001');
    expect((await refusal(world, site.engine.submitWorkflow({ tasks: [] }))).code).toBe('GLZ1002');
    const input = { input: () => 1 } as never;
    const workflow = { tasks: [{ id: 'a', ...echo }] };
    expect(await refusal(world, site.engine.submitWorkflow(workflow, input))).toMatchObject({
      code: 'GLZ1002',
      details: { field: '/input' },
    });
    expect(world.data.journal).toHaveLength(0);
  });

  it('that the store cannot hold is refused alone, its neighbours are taken', async () => {
    const { world, site } = setUp();
    site.faults.refuses = (write) =>
      write.kind === 'submit' && write.runs.some(({ tasks }) => tasks[0]?.params.includes('bad'));
    const [good, bad, also] = ['good', 'bad', 'good'].map((text) =>
      site.engine.submit({ ...echo, params: { text } }),
    );
    const refused = refusal(world, bad as Promise<unknown>);
    await world.time.until(Promise.all([good, also]));
    expect((await refused).code).toBe('GLZ3009');
    expect(world.data.tasks.size).toBe(2);
  });
});

describe('an idempotency key', () => {
  it('gives the first answer again, also while the first is still under way', async () => {
    const { world, site } = setUp();
    const options = { idempotency_key: 'k' };
    const twice = [site.engine.submit(echo, options), site.engine.submit(echo, options)];
    const [one, two] = await world.time.until(Promise.all(twice));
    expect(two?.tasks).toEqual(one?.tasks);
    expect([one?.created, two?.created]).toEqual([true, false]);
    expect(world.data.tasks.size).toBe(1);
  });

  it('gives it after a restart and after the task ended, with how far it is', async () => {
    const { world, site } = setUp();
    const options = { idempotency_key: 'k' };
    const one = await world.time.until(site.engine.submit({ ...echo, params: { a: 1, b: 2 } }, options));
    await site.store.close();
    const next = world.site();
    next.provider.reply = () => done();
    await world.time.until(next.engine.start());
    await world.outcome(next, one.tasks.map(([, task_id]) => task_id)[0] ?? '');
    const again = await world.time.until(next.engine.submit({ ...echo, params: { b: 2, a: 1 } }, options));
    expect(again).toMatchObject({ tasks: one.tasks, status: 'completed', created: false });
    expect(next.provider.calls).toHaveLength(1);
  });

  it('is refused with another body, be it only another secret', async () => {
    const { world, site } = setUp();
    const login = (password: string) =>
      site.engine.submit({ ...echo, method: 'login', params: { password } }, { idempotency_key: 'k' });
    await world.time.until(login('one'));
    await world.time.until(login('one'));
    const error = await refusal(world, login('two'));
    expect(error).toMatchObject({ code: 'GLZ1009', details: { field: 'idempotency_key' } });
    expect(error.message).not.toMatch(/one|two/);
    expect(world.data.tasks.size).toBe(1);
  });

  it('names a workflow as well, and so does its id', async () => {
    const { world, site } = setUp();
    const workflow = { workflow_id: 'w', tasks: [{ id: 'a', ...echo }] };
    const one = await world.time.until(site.engine.submitWorkflow(workflow));
    expect(await world.time.until(site.engine.submitWorkflow(workflow))).toEqual({ ...one, created: false });
    const other = { ...workflow, name: 'another' };
    expect((await refusal(world, site.engine.submitWorkflow(other))).code).toBe('GLZ1009');
  });

  it.each(['', ' ', 'x'.repeat(257), 7, null, 'a\u0000b', 'half \ud800'])('cannot be %j', async (key) => {
    const { world, site } = setUp();
    const error = await refusal(world, site.engine.submit(echo, { idempotency_key: key as string }));
    expect(error).toMatchObject({ code: 'GLZ1012', details: { field: 'idempotency_key' } });
  });

  it('that was lost with the answer finds what was accepted', async () => {
    const { world, site } = setUp();
    site.faults.afterCommit = () => {
      delete site.faults.afterCommit;
      throw new GleitzeitError('GLZ3001', 'connection lost');
    };
    const options = { idempotency_key: 'k' };
    expect((await refusal(world, site.engine.submit(echo, options))).code).toBe('GLZ3001');
    const again = await world.time.until(site.engine.submit(echo, options));
    expect(again.created).toBe(false);
    expect(world.data.tasks.size).toBe(1);
  });
});

describe('many tasks in one call', () => {
  it('are accepted together, in one commit, and answered in order', async () => {
    const { world, site } = setUp();
    const tasks = Array.from({ length: 50 }, (_, n) => ({ task: { ...echo, params: { n } } }));
    const accepted = await world.time.until(site.engine.submitMany(tasks));
    expect(world.data.journal).toHaveLength(1);
    const params = accepted.map(({ tasks: [[, id] = ['', '']] }) => world.data.bodies.get(id)?.params);
    expect(params).toEqual(tasks.map(({ task }) => JSON.stringify(task.params)));
  });

  it('may be none', async () => {
    const { world, site } = setUp();
    expect(await world.time.until(site.engine.submitMany([]))).toEqual([]);
  });

  it.each([
    [{ ...echo, method: '' }, undefined, '/tasks/1/method'],
    [{ ...echo, params: { count: 'x' } }, undefined, '/tasks/1/params/count'],
    [{ ...echo, params: { [SEALED]: 'x' } }, undefined, '/tasks/1/params'],
    [{ ...echo, method: 'nothing' }, undefined, '/tasks/1'],
    [echo, '', '/tasks/1/idempotency_key'],
  ])('are all refused because of one, whose place is named: %j', async (task, idempotency_key, field) => {
    const { world, site } = setUp();
    const sent = [{ task: echo }, { task, idempotency_key }, { task: echo }];
    const error = await refusal(world, site.engine.submitMany(sent));
    expect(error.details.field).toBe(field);
    expect(error.message).toMatch(/^task 1: /);
    expect(world.data.tasks.size).toBe(0);
  });

  it('are told what is wrong with each of them, by its place', async () => {
    const { world, site } = setUp();
    const wrong = [echo, { ...echo, methode: 1 }, echo, { ...echo, params: { count: 'x' } }, null];
    const sent = wrong.map((task) => ({ task }));
    const error = await refusal(world, site.engine.submitMany(sent));
    expect(error).toMatchObject({
      code: 'GLZ1001',
      message: expect.stringMatching(/^task 1: .*methode.*\(and 2 more tasks\)$/),
      details: {
        field: '/tasks/1/methode',
        details: {
          problems: [
            { index: 1, error_code: 'GLZ1001', field: '/tasks/1/methode' },
            { index: 3, error_code: 'GLZ1005', field: '/tasks/3/params/count' },
            { index: 4, error_code: 'GLZ1001', field: '/tasks/4' },
          ],
        },
      },
    });
    const all = await refusal(
      world,
      site.engine.submitMany(Array.from({ length: 9000 }, () => ({ task: 1 }))),
    );
    expect(all.details.details).toMatchObject({ problems: { length: 20 } });
    expect(world.data.tasks.size).toBe(0);
  });

  it('are all refused because of one whose key was used for another body', async () => {
    const { world, site } = setUp();
    await world.time.until(site.engine.submit({ ...echo, params: { a: 1 } }, { idempotency_key: 'k' }));
    const sent = [{ task: echo }, { task: echo, idempotency_key: 'k' }];
    const error = await refusal(world, site.engine.submitMany(sent));
    expect(error).toMatchObject({ code: 'GLZ1009', message: expect.stringContaining('"k"') });
    expect(world.data.tasks.size).toBe(1);
  });

  it('cannot bring the same key twice', async () => {
    const { world, site } = setUp();
    const sent = ['a', 'b', 'a'].map((idempotency_key) => ({ task: echo, idempotency_key }));
    const error = await refusal(world, site.engine.submitMany(sent));
    expect(error).toMatchObject({ code: 'GLZ1009', details: { field: '/tasks/2/idempotency_key' } });
  });

  it('cannot be more than 10,000', async () => {
    const { world, site } = setUp();
    const sent = Array.from({ length: 10_001 }, () => ({ task: echo }));
    expect(await refusal(world, site.engine.submitMany(sent))).toMatchObject({
      code: 'GLZ1001',
      details: { field: '/tasks' },
    });
  });
});

it('a secret that cannot be read as a reference is not shown by the error', async () => {
  const { world, site } = setUp();
  const login = { protocol: 'test/v1', method: 'login', params: { password: '${hunter2' } };
  for (const submit of [
    () => site.engine.submit(login),
    () => site.engine.submitMany([{ task: login }]),
    () => site.engine.submitWorkflow({ tasks: [{ id: 'a', ...login }] }),
  ]) {
    const error = await refusal(world, submit());
    expect(error.details.field).toMatch(/\/params\/password$/);
    expect(JSON.stringify([error.message, error.details]) + error.stack).not.toContain('hunter2');
  }
});
