import { describe, expect, it } from 'vitest';
import { done, TestProvider } from './testing/provider.suite.ts';
import { echo, type Site, World } from './testing/world.suite.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ task: echo }));

async function pair(world: World, options: object = {}): Promise<[Site, Site]> {
  return [await world.started({ options }), await world.started({ options })];
}

describe('two engines on one store', () => {
  it('share the work, and each task runs once', async () => {
    const world = new World(false);
    const [one, two] = await pair(world, { concurrency: 3 });
    for (const { provider } of [one, two]) provider.reply = () => done();
    await world.time.until(one.engine.submitMany(many(100)));
    await world.time.advance(1000);
    const ids = [...one.provider.calls, ...two.provider.calls].map(({ task_id }) => task_id);
    expect(new Set(ids).size).toBe(100);
    expect(ids).toHaveLength(100);
    expect(two.provider.calls.length).toBeGreaterThan(10);
    expect(one.provider.calls.length).toBeGreaterThan(10);
  });

  it('hear of each other’s work at once, and by looking around when the word is lost', async () => {
    const world = new World(false);
    const submitter = world.site();
    const hearing = await world.started();
    await world.submit(submitter);
    await world.time.settle();
    expect(hearing.provider.calls).toHaveLength(1);
    await world.time.until(hearing.engine.stop(0));
    const deaf = await world.started({ deliver: () => {} });
    const from = world.time.monotonic();
    const task_id = await world.submit(submitter);
    await world.time.settle();
    expect(deaf.provider.calls.some((call) => call.task_id === task_id)).toBe(false);
    await world.time.advance(from + 1000 - world.time.monotonic());
    expect(deaf.provider.calls.some((call) => call.task_id === task_id)).toBe(true);
  });

  it('take over from one that died, once its lease has run out and not before', async () => {
    const world = new World(false);
    const one = await world.started();
    const task_id = await world.submit(one);
    await world.time.advance(100);
    const two = world.site();
    two.provider.reply = () => done('two');
    await world.time.until(two.engine.start());
    one.store.crash();
    await world.time.advance(2000);
    expect(two.provider.calls).toHaveLength(0);
    await world.time.advance(3000);
    expect(two.provider.calls).toHaveLength(1);
    expect(await world.outcome(two, task_id)).toMatchObject({ status: 'completed', result: '"two"' });
    expect(world.row(task_id).attempts).toMatchObject([{ error: { data: { error_code: 'GLZ2008' } } }, {}]);
    expect(two.log.map(({ message }) => message)).toContain('took over tasks of an engine that is gone');
  });

  it('wake the retry of one that died, although the next of their own is far off', async () => {
    const world = new World(false);
    const one = await world.started();
    const far = await world.submit(one, {
      retry_config: { initial_delay: 3000, max_delay: 3000, jitter: 0 },
    });
    one.provider.last.failed('GLZ2001');
    await world.time.advance(1500);
    await world.time.until(one.engine.quiet());
    const two = await world.started();
    const near = await world.submit(two, { retry_config: { initial_delay: 60, jitter: 0 } });
    await world.time.until(one.engine.start());
    await world.time.advance(100);
    two.provider.last.failed('GLZ2001');
    await world.time.settle();
    two.store.crash();
    expect([world.row(far).status, world.row(near).status]).toEqual(['retrying', 'retrying']);
    await world.time.advance(59_000);
    expect(one.provider.callOf(far).attempt).toBe(1);
    expect(world.row(near).status).toBe('retrying');
    await world.time.advance(2000);
    expect(one.provider.callOf(near).attempt).toBe(2);
  });

  it('take over nothing from one that lives, however long its call takes', async () => {
    const world = new World(false);
    const [one, two] = await pair(world);
    await world.time.until(two.engine.quiet());
    const task_id = await world.submit(one, { timeout: 600 });
    await world.time.until(two.engine.start());
    await world.time.advance(120_000);
    expect(two.provider.calls).toHaveLength(0);
    one.provider.last.done();
    expect(await world.outcome(one, task_id)).toMatchObject({ status: 'completed' });
  });

  it('end a call here when its task is cancelled there', async () => {
    const world = new World(false);
    const one = await world.started();
    const two = world.site();
    const task_id = await world.submit(one);
    await world.time.until(two.engine.cancelTask(task_id));
    await world.time.settle();
    expect(one.provider.last.signal.aborted).toBe(true);
    expect(one.provider.last.signal.reason).toMatchObject({
      code: 'GLZ2009',
      message: 'the task was cancelled',
    });
    one.provider.last.done('late');
    await world.time.advance(100);
    expect(world.row(task_id).status).toBe('cancelled');
  });

  it('end a call here when the word of its cancelling overtakes the claim', async () => {
    const world = new World(false);
    const one = await world.started();
    const two = world.site();
    const gate = Promise.withResolvers<void>();
    one.faults.afterCommit = () => gate.promise;
    const task_id = await world.submit(two);
    await world.time.settle();
    expect(world.row(task_id).owner).not.toBe(null);
    await world.time.until(two.engine.cancelTask(task_id));
    await world.time.settle();
    gate.resolve();
    await world.time.settle();
    expect(one.provider.calls.every(({ signal }) => signal.aborted)).toBe(true);
    expect(world.time.monotonic()).toBe(0);
  });
});

describe('an engine that was given up', () => {
  /** Its beats do not get through until others have taken its work. */
  async function givenUp() {
    const world = new World(false);
    const one = await world.started();
    const task_id = await world.submit(one, { timeout: 600 });
    await world.time.advance(10);
    const name = world.row(task_id).owner;
    const gate = Promise.withResolvers<void>();
    one.faults.beforeCommit = () => gate.promise;
    const two = world.site();
    await world.time.until(two.engine.start());
    await world.time.advance(6000);
    expect(two.provider.calls).toHaveLength(1);
    return { world, one, two, task_id, gate, name };
  }

  it('drops its calls and comes back under a new name', async () => {
    const { world, one, two, task_id, gate, name } = await givenUp();
    gate.resolve();
    await world.time.advance(100);
    expect(one.provider.last.signal.aborted).toBe(true);
    const names = [...world.data.engines.keys()];
    expect(names).toHaveLength(2);
    expect(names).not.toContain(name);
    const lost = 'the lease was lost; calls under way are dropped';
    expect(one.log.filter(({ message }) => message === lost)).toHaveLength(1);
    two.provider.last.done('two');
    expect(await world.outcome(one, task_id)).toMatchObject({ result: '"two"' });
    await world.time.until(two.engine.stop(0));
    const next = await world.submit(one);
    await world.time.settle();
    expect(one.provider.last.task_id).toBe(next);
  });

  it('has the outcome of its old call refused', async () => {
    const { world, one, two, task_id, gate } = await givenUp();
    one.provider.last.done('one');
    await world.time.settle();
    gate.resolve();
    await world.time.advance(100);
    expect(world.row(task_id).status).toBe('executing');
    two.provider.last.done('two');
    expect(await world.outcome(one, task_id)).toMatchObject({ result: '"two"' });
    expect(world.eventsOf(task_id).filter((event) => event === 'task:completed')).toHaveLength(1);
  });

  it('tells those who wait what happened meanwhile, without looking around', async () => {
    const world = new World(false);
    const one = await world.started({ options: { poll_ms: 3600_000 }, deliver: () => {} });
    const task_id = await world.submit(one, { timeout: 600 });
    const told = one.engine.result(task_id, 3600_000);
    await world.time.advance(10);
    const gate = Promise.withResolvers<void>();
    one.faults.beforeCommit = () => gate.promise;
    const two = world.site();
    two.provider.reply = () => done('two');
    await world.time.until(two.engine.start());
    await world.time.advance(6000);
    expect(world.row(task_id).status).toBe('completed');
    gate.resolve();
    const from = world.time.monotonic();
    expect(await world.time.until(told)).toMatchObject({ status: 'completed', result: '"two"' });
    expect(world.time.monotonic()).toBe(from);
  });

  it('can be stopped while it comes back and the store is away', async () => {
    const { world, one, gate } = await givenUp();
    one.faults.beforeCommit = () => {
      throw new Error('away');
    };
    gate.resolve();
    await world.time.advance(100);
    expect(one.log.map(({ message }) => message)).toContain(
      'the lease was lost; calls under way are dropped',
    );
    await world.time.until(one.engine.stop(100));
    await world.time.advance(1000);
    expect(world.data.engines.size).toBe(1);
  });
});

describe('waiting for a task that another engine runs', () => {
  async function waiting(deliver?: (call: () => void) => void) {
    const world = new World(false);
    const runner = await world.started({ deliver: (call) => call() });
    const provider = new TestProvider('none', 'test/none');
    const asker = await world.started(deliver === undefined ? { provider } : { provider, deliver });
    const task_id = await world.submit(asker);
    await world.time.settle();
    const from = world.time.monotonic();
    const told = asker.engine.result(task_id, 60_000);
    await world.time.settle();
    runner.provider.last.done('there');
    return { world, task_id, from, told: world.time.until(told) };
  }

  it('ends when the other says so', async () => {
    const { world, told, from } = await waiting();
    expect(await told).toMatchObject({ status: 'completed', result: '"there"' });
    expect(world.time.monotonic()).toBe(from);
  });

  it('ends by looking around when the word of the other is lost', async () => {
    const { world, told, from } = await waiting(() => {});
    expect(await told).toMatchObject({ status: 'completed', result: '"there"' });
    expect(world.time.monotonic() - from).toBeGreaterThan(0);
    expect(world.time.monotonic() - from).toBeLessThanOrEqual(1000);
  });
});
