import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { createRouter } from '../router/router.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { echo, type Site, World } from './testing/world.suite.ts';

const many = (count: number) => Array.from({ length: count }, () => ({ task: echo }));
const other = { protocol: 'test/other', method: 'echo' };

/** A site with a second protocol beside the usual one. */
async function both(world: World, options: object = {}): Promise<Site & { readonly second: TestProvider }> {
  const provider = new TestProvider();
  const second = new TestProvider('provider-2', 'test/other');
  const site = await world.started({
    provider,
    parts: { router: createRouter([provider, second]) },
    options,
  });
  return { ...site, second };
}

describe('a queue that is paused', () => {
  it('starts nothing more of the protocol, while calls that run go on and others are started', async () => {
    const world = new World();
    const { engine, provider, second } = await both(world);
    await world.time.until(engine.submitMany(many(20)));
    await world.time.settle();
    expect(provider.calls).toHaveLength(4);
    expect(await world.time.until(engine.pauseQueue('test/v1'))).toEqual(engine.seen.paused);
    for (const call of [...provider.calls]) call.done();
    const free = await world.submit({ engine }, other);
    await world.time.settle();
    expect(provider.calls).toHaveLength(4);
    expect(second.calls.map(({ task_id }) => task_id)).toEqual([free]);
    const rows = [...world.data.tasks.values()].filter(({ lane }) => lane === 'test/v1');
    expect(rows.filter(({ status }) => status === 'completed')).toHaveLength(4);
    expect(rows.filter(({ status, owner }) => status === 'queued' && owner === null)).toHaveLength(16);
  });

  it('goes on where it was, and nothing is lost', async () => {
    const world = new World();
    const site = await both(world);
    const { engine, provider } = site;
    provider.reply = () => done();
    await world.time.until(engine.pauseQueue('test/v1'));
    const accepted = await world.time.until(engine.submitMany(many(40)));
    await world.time.advance(5000);
    expect(provider.calls).toHaveLength(0);
    expect(await world.time.until(engine.resumeQueue('test/v1'))).toMatchObject({ protocols: [] });
    await world.time.settle();
    const ids = accepted.map(({ tasks }) => tasks[0]?.[1]);
    expect(provider.calls.map(({ task_id }) => task_id)).toEqual(ids);
    expect(
      world.data.runs.size +
        [...world.data.tasks.values()].filter((row) => row.status !== 'completed').length,
    ).toBe(0);
  });

  it('as a whole starts nothing at all, and takes work all the same', async () => {
    const world = new World();
    const site = await both(world);
    site.provider.reply = () => done();
    await world.time.until(site.engine.pauseQueue());
    const task_id = await world.submit(site);
    await world.submit(site, other);
    await world.time.advance(3000);
    expect([site.provider.calls.length, site.second.calls.length]).toEqual([0, 0]);
    await world.time.until(site.engine.resumeQueue());
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(site.second.calls).toHaveLength(1);
  });

  it('hands nothing over to the next step of a run', async () => {
    const world = new World();
    const { engine, provider } = await both(world);
    const tasks = [
      { id: 'a', ...echo },
      { id: 'b', ...echo, dependencies: ['a'] },
    ];
    const run = await world.time.until(engine.submitWorkflow({ tasks }));
    await world.time.settle();
    await world.time.until(engine.pauseQueue('test/v1'));
    provider.last.done();
    await world.time.advance(2000);
    expect(provider.calls).toHaveLength(1);
    const b = [...world.data.tasks.values()].find(({ id }) => id === 'b');
    expect(b).toMatchObject({ status: 'queued', owner: null, parked: null });
    await world.time.until(engine.resumeQueue('test/v1'));
    await world.time.settle();
    provider.last.done();
    expect(await world.time.until(engine.runResult(run.workflow_id ?? '', 1000))).toMatchObject({
      status: 'completed',
    });
  });

  it('gives back what a claim under way brings', async () => {
    const world = new World();
    const { engine, provider, faults } = await both(world);
    const gate = Promise.withResolvers<void>();
    faults.afterCommit = ({ writes }) =>
      writes.some(({ kind }) => kind === 'submit') ? gate.promise : undefined;
    const submitted = engine.submitMany(many(3));
    await world.time.settle();
    await world.time.until(engine.pauseQueue('test/v1'));
    expect([...world.data.tasks.values()].every(({ owner }) => owner !== null)).toBe(true);
    gate.resolve();
    await world.time.until(submitted);
    await world.time.settle();
    expect(provider.calls).toHaveLength(0);
    expect([...world.data.tasks.values()].every(({ owner }) => owner === null)).toBe(true);
    await world.time.until(engine.resumeQueue('test/v1'));
    await world.time.settle();
    expect(provider.calls).toHaveLength(3);
  });

  it('is paused for every engine: at once, by looking around, and from the start', async () => {
    const world = new World(false);
    const one = await both(world);
    const hearing = await both(world);
    const deaf = await world.started({ deliver: () => {} });
    await world.time.until(one.engine.pauseQueue('test/v1'));
    await world.time.settle();
    expect(hearing.engine.seen.paused.protocols).toEqual(['test/v1']);
    await world.time.advance(1000);
    expect(deaf.engine.seen.paused).toEqual(one.engine.seen.paused);
    const later = await both(world);
    expect(later.engine.seen.paused).toEqual(one.engine.seen.paused);
    await world.time.until(one.engine.submitMany(many(20)));
    await world.time.advance(3000);
    const sites = [one, hearing, deaf, later];
    expect(sites.map(({ provider }) => provider.calls.length)).toEqual([0, 0, 0, 0]);
    for (const { provider } of sites) provider.reply = () => done();
    await world.time.until(deaf.engine.resumeQueue());
    await world.time.settle();
    expect(sites.reduce((sum, { provider }) => sum + provider.calls.length, 0)).toBe(20);
  });

  it('stays so over a restart and while the store cannot be read', async () => {
    const world = new World(false);
    const one = await both(world);
    await world.time.until(one.engine.pauseQueue('test/v1'));
    one.faults.beforeRead = () => {
      throw new GleitzeitError('GLZ3001', 'away');
    };
    await world.time.advance(5000);
    expect(one.engine.seen.paused.protocols).toEqual(['test/v1']);
    await world.time.until(one.engine.stop(0));
    const next = await both(world);
    await world.submit(next);
    await world.time.advance(1000);
    expect(next.provider.calls).toHaveLength(0);
  });

  it('is known although the answer to the commit was lost', async () => {
    const world = new World();
    const { engine, provider, faults } = await both(world);
    faults.afterCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind.endsWith('_queue'))) throw new GleitzeitError('GLZ3001', 'lost');
    };
    let reads = 1;
    faults.beforeRead = (name) => {
      if (name === 'document' && reads-- > 0) throw new GleitzeitError('GLZ3001', 'away');
    };
    await expect(world.time.until(engine.pauseQueue('test/v1'))).rejects.toMatchObject({ code: 'GLZ3001' });
    await world.time.advance(1200);
    expect(engine.seen.paused.protocols).toEqual(['test/v1']);
    await world.submit({ engine });
    await expect(world.time.until(engine.resumeQueue())).rejects.toMatchObject({ code: 'GLZ3001' });
    await world.time.advance(100);
    expect(provider.calls).toHaveLength(1);
  });

  it('is told on the feed', async () => {
    const world = new World();
    const { engine } = await both(world);
    await world.time.until(engine.pauseQueue('test/v1'));
    await world.time.until(engine.pauseQueue());
    await world.time.until(engine.resumeQueue());
    const { events } = world.data.events.page({ after: 0, limit: 10 });
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['queue:paused', { protocol: 'test/v1' }],
      ['queue:paused', { protocol: null }],
      ['queue:resumed', { protocol: null }],
    ]);
  });

  it.each(['', 'x'.repeat(300), 7 as never])('has a name: %s is none', async (protocol) => {
    const world = new World();
    const { engine } = world.site();
    for (const asked of [engine.pauseQueue(protocol), engine.resumeQueue(protocol)])
      await expect(asked).rejects.toMatchObject({ code: 'GLZ1012', details: { field: 'protocol' } });
  });
});
