import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { answerTo, Courier, nameOf } from './testing/courier.suite.ts';
import { done, failed } from './testing/provider.suite.ts';
import { once, type Site, step, World } from './testing/world.suite.ts';

async function started(options: Parameters<World['started']>[0] = {}) {
  const world = new World(options.parts?.store === undefined);
  const courier = new Courier();
  const site = await world.started({ ...options, parts: { dispatch: courier, ...options.parts } });
  return { world, courier, site };
}

const free = (site: Site, world: World) => world.time.until(site.engine.idle());

describe('a call that leaves', () => {
  it('is held by nobody, takes no slot, and its task is routed until somebody begins it', async () => {
    const { world, courier, site } = await started({ options: { concurrency: 1 } });
    const ids = [await world.submit(site), await world.submit(site), await world.submit(site)];
    await world.time.settle();
    expect(courier.parcels.map(({ task_id }) => task_id)).toEqual(ids);
    for (const id of ids)
      expect(world.row(id)).toMatchObject({ status: 'routed', owner: null, parked: 'bridge provider-1' });
    await free(site, world);
    expect(site.provider.calls).toEqual([]);
  });

  it('carries what it takes to be made elsewhere', async () => {
    const { world, courier, site } = await started();
    const task_id = await world.submit(site, { params: { a: 1 }, timeout: 7, total_timeout: 20 });
    expect(courier.last).toMatchObject({
      task_id,
      call_id: task_id,
      generation: 0,
      attempt: 1,
      method: 'echo',
      params: { a: 1 },
      timeout_ms: 7000,
      expires_in_ms: 20_000,
      content: { params: '{"a":1}', response: null, callback: null, secrets: false },
    });
    expect(courier.last.report).toBeUndefined();
    const endless = await world.submit(site);
    expect(courier.last).toMatchObject({ task_id: endless, expires_in_ms: null });
  });

  it('is settled by its answer, which is told once it is recorded', async () => {
    const { world, courier, site } = await started();
    const task_id = await world.submit(site);
    await world.time.settle();
    const answered = courier.arrivals.ended(answerTo(courier.last, done({ n: 1 }), { took_ms: 30 }));
    await world.time.until(answered);
    expect(world.row(task_id)).toMatchObject({ status: 'completed', attempts: [{ provider: 'provider-1' }] });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed', result: '{"n":1}' });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done('other'))));
    expect(world.eventsOf(task_id).filter((event) => event === 'task:completed')).toHaveLength(1);
  });

  it('may be answered before it is known to have left', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.row(task_id).status).toBe('completed');
    courier.last.leave();
    await world.time.settle();
    expect(courier.abandoned).toEqual([]);
    expect(world.data.owned.size).toBe(0);
  });

  it('is made here where its provider is local', async () => {
    const { world, courier, site } = await started();
    courier.away = () => false;
    const task_id = await world.submit(site);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(courier.parcels).toEqual([]);
  });

  it('waits in the line that dispatch names while it cannot leave, and leaves when it is called', async () => {
    const { world, courier, site } = await started();
    const line = { kind: 'breaker', key: 'broker', fair: false } as const;
    courier.atOnce = null;
    const task_id = await world.submit(site);
    courier.last.say({ word: 'wait', line });
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({
      status: 'queued',
      parked: 'line breaker broker',
      attempt_count: 0,
    });
    expect(await world.time.until(courier.call(line, 5))).toEqual({ count: 1, more: 0 });
    await world.time.settle();
    expect(courier.parcels).toHaveLength(2);
    expect(nameOf(courier.last)).toEqual({ task_id, generation: 0, attempt: 1 });
  });

  it('that dispatch answers at once has been answered', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site, once);
    courier.last.say(failed('GLZ1007', 'too large for the broker'));
    expect(await world.outcome(site, task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ1007', provider: 'provider-1', attempt: 1 } },
    });
  });

  it('of which nobody knows whether it left has failed, and its answer comes too late', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site, { retry_config: { initial_delay: 1, jitter: 0 } });
    courier.last.reject(new Error('connection lost'));
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({
      status: 'retrying',
      attempts: [{ error: { message: 'connection lost', data: { error_code: 'GLZ2002' } } }],
    });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.row(task_id).status).toBe('retrying');
  });

  it('that cannot leave because the connection is closed is no fault of its task', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site, once);
    courier.last.reject(new GleitzeitError('GLZ9002', 'the connection to the broker is closed'));
    await world.time.settle();
    expect(world.row(task_id).status).toBe('retrying');
    courier.atOnce = 60_000;
    await world.time.advance(2000);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.row(task_id).status).toBe('completed');
  });

  it('gets its references filled in, and secrets do not leave open', async () => {
    const { world, courier, site } = await started();
    const params = { password: 'hunter2', text: 'plain' };
    await world.submit(site, { method: 'login', params });
    const { content, params: open } = courier.last;
    expect(open).toEqual(params);
    expect(content.secrets).toBe(true);
    expect(content.params).not.toContain('hunter2');
    expect(JSON.parse(content.params)).toMatchObject({
      text: 'plain',
      password: { $sealed: expect.any(String) },
    });
  });
});

describe('a task whose call is away', () => {
  it('that is cancelled has its call dropped by whoever makes it', async () => {
    const { world, courier, site } = await started();
    const task_id = await world.submit(site);
    await world.time.settle();
    await world.time.until(site.engine.cancelTask(task_id, 'enough'));
    expect(courier.abandoned).toEqual([{ task_id, generation: 0, attempt: 1, provider: 'provider-1' }]);
    expect(world.row(task_id).status).toBe('cancelled');
  });

  it('that is cancelled while its call is on the way out has it dropped once it has left', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    await world.time.until(site.engine.cancelTask(task_id));
    await world.time.settle();
    expect(courier.abandoned).toEqual([]);
    courier.last.leave();
    await world.time.settle();
    expect(courier.abandoned).toMatchObject([{ task_id, attempt: 1 }]);
  });

  it('that is cancelled in the commit that writes down that it left is told of to whoever waits for it', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    const outcome = site.engine.result(task_id, Number.POSITIVE_INFINITY);
    await world.time.settle();
    courier.last.leave();
    // Its write is ready, and the commit that takes it has not begun.
    for (let turn = 0; turn < 10; turn++) await null;
    await world.time.until(site.engine.cancelTask(task_id));
    const kinds = world.data.journal.map(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).toContainEqual(['hand_over', 'cancel_task']);
    expect(await world.time.until(outcome)).toMatchObject({ status: 'cancelled' });
  });

  it('is given up when nobody answers in time, and is tried again', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = 5000;
    const task_id = await world.submit(site, { retry_config: { initial_delay: 1, jitter: 0 } });
    await world.time.advance(7000);
    expect(courier.abandoned).toMatchObject([{ task_id, attempt: 1 }]);
    expect(courier.parcels.map(nameOf)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    await world.time.until(courier.arrivals.ended(answerTo(courier.parcels[0] ?? courier.last)));
    expect(world.row(task_id)).toMatchObject({ status: 'routed', attempt_count: 1 });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.row(task_id).status).toBe('completed');
  });

  it('is not lost with its engine, and any other takes its answer', async () => {
    const world = new World(false);
    const courier = new Courier();
    const first = await world.started({ parts: { dispatch: courier } });
    const task_id = await world.submit(first);
    await world.time.settle();
    const parcel = courier.last;
    first.store.crash();
    const second = new Courier();
    const site = await world.started({ parts: { dispatch: second } });
    await world.time.advance(10_000);
    expect(second.parcels).toEqual([]);
    await world.time.until(second.arrivals.ended(answerTo(parcel)));
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });

  it('whose engine died before that was written is handed over again under the same name', async () => {
    const world = new World(false);
    const courier = new Courier();
    courier.atOnce = null;
    const first = await world.started({ parts: { dispatch: courier } });
    const task_id = await world.submit(first);
    first.store.crash();
    const second = new Courier();
    await world.started({ parts: { dispatch: second } });
    await world.time.advance(10_000);
    expect(second.parcels.map(nameOf)).toEqual([nameOf(courier.last)]);
    await world.time.until(second.arrivals.ended(answerTo(courier.last, done('first'))));
    await world.time.until(second.arrivals.ended(answerTo(second.last, done('second'))));
    expect(world.data.results.get(task_id)?.result).toBe('"first"');
  });

  it('goes on with the next step of its run when it is done', async () => {
    const { world, courier, site } = await started();
    const flow = {
      name: 'w',
      tasks: [step('a'), step('b', { x: '${a.result.v}' }, { dependencies: ['a'] })],
    };
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(flow));
    await world.time.settle();
    await world.time.until(courier.arrivals.ended(answerTo(courier.last, done({ v: 7 }))));
    await world.time.settle();
    expect(courier.last).toMatchObject({ params: { x: 7 }, content: { params: '{"x":7}' } });
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    expect(world.data.runs.get(workflow_id ?? '')?.status).toBe('completed');
  });
});
