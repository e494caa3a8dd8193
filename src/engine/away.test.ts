import { describe, expect, it } from 'vitest';
import { answerTo, Courier, nameOf } from './testing/courier.suite.ts';
import { Doorman } from './testing/doorman.suite.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { World } from './testing/world.suite.ts';

async function started(options: Parameters<World['started']>[0] = {}) {
  const world = new World(options.parts?.store === undefined);
  const courier = new Courier();
  const site = await world.started({ ...options, parts: { dispatch: courier, ...options.parts } });
  return { world, courier, site };
}

describe('an engine that stops', () => {
  it('leaves what is away to others, and hears of no answers any more', async () => {
    const { world, courier, site } = await started();
    const task_id = await world.submit(site);
    await world.time.settle();
    const { arrivals } = courier;
    await world.time.until(site.engine.stop());
    expect(courier.listening.size).toBe(0);
    expect(world.row(task_id)).toMatchObject({ status: 'routed', owner: null });
    await expect(world.time.until(arrivals.ended(answerTo(courier.last)))).rejects.toThrow(/stopped/);
    expect(courier.abandoned).toEqual([]);
    expect(world.time.pending).toBe(0);
  });

  it('gives back what is on the way out when its time is up', async () => {
    const { world, courier, site } = await started();
    courier.atOnce = null;
    const task_id = await world.submit(site);
    await world.time.until(site.engine.stop(100));
    expect(world.row(task_id)).toMatchObject({ status: 'queued', owner: null, attempt_count: 0 });
    courier.last.leave();
    await world.time.settle();
    expect(world.row(task_id).status).toBe('queued');
  });

  it('waits for answers that are being written', async () => {
    const { world, courier, site } = await started();
    const task_id = await world.submit(site);
    await world.time.settle();
    const written = courier.arrivals.ended(answerTo(courier.last));
    await world.time.until(Promise.all([written, site.engine.stop()]));
    expect(world.row(task_id).status).toBe('completed');
  });
});

describe('listening', () => {
  it('is tried again until it works, and given up with the engine', async () => {
    const world = new World(false);
    const courier = new Courier();
    courier.deaf = 2;
    const site = await world.started({ parts: { dispatch: courier } });
    expect(courier.listening.size).toBe(0);
    await world.time.advance(2000);
    expect(courier.listening.size).toBe(1);
    expect(site.log).toMatchObject([
      { level: 'warn' },
      { level: 'warn', fields: { error: 'the broker is away' } },
    ]);
    courier.deaf = 100;
    const other = await world.started({ parts: { dispatch: courier } });
    await world.time.until(other.engine.stop());
    await world.time.until(site.engine.stop());
    expect(world.time.pending).toBe(0);
  });

  it('is not for an engine that takes in only', async () => {
    const world = new World();
    const courier = new Courier();
    const { engine } = world.site({ parts: { dispatch: courier } });
    await world.time.until(engine.start({ works: false }));
    expect(courier.listening.size).toBe(0);
  });
});

describe('the place of a call that is away', () => {
  async function withPlaces(places: number) {
    const world = new World(false);
    const courier = new Courier();
    const provider = new TestProvider();
    const doorman = new Doorman([provider], places, world.time);
    const site = await world.started({ provider, parts: { dispatch: courier, router: doorman } });
    return { world, courier, doorman, site };
  }

  it('is free when its answer comes, and the next is called', async () => {
    const { world, courier, doorman, site } = await withPlaces(1);
    await world.submit(site);
    await world.submit(site);
    await world.time.settle();
    expect(courier.parcels).toHaveLength(1);
    expect(doorman.inside).toBe(1);
    await world.time.until(courier.arrivals.ended(answerTo(courier.last)));
    await world.time.settle();
    expect(courier.parcels).toHaveLength(2);
  });

  it('is free when somebody says that it has ended, whoever has its answer', async () => {
    const { world, courier, doorman, site } = await withPlaces(1);
    await world.submit(site);
    await world.time.settle();
    courier.arrivals.news({ ...nameOf(courier.last), attempt: 2, kind: 'ended' });
    expect(doorman.inside).toBe(1);
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'ended' });
    expect(doorman.inside).toBe(0);
    courier.arrivals.news({ ...nameOf(courier.last), kind: 'ended' });
    expect(doorman.inside).toBe(0);
  });

  it('is free a while after the store has it down as ended, although nobody said so here', async () => {
    const { world, courier, doorman, site } = await withPlaces(2);
    const ids = [await world.submit(site), await world.submit(site)];
    await world.time.settle();
    const { arrivals } = courier;
    const other = new Courier();
    const elsewhere = await world.started({ parts: { dispatch: other } });
    await world.time.until(other.arrivals.ended(answerTo(courier.last)));
    site.faults.beforeRead = async () => {
      throw new Error('not now');
    };
    await world.time.advance(5000);
    expect(doorman.inside).toBe(2);
    delete site.faults.beforeRead;
    await world.time.advance(10_000);
    expect(doorman.inside).toBe(1);
    expect(world.row(ids[0] ?? '').status).toBe('routed');
    expect(arrivals).toBe([...courier.listening][0]);
    await world.time.until(elsewhere.engine.stop());
  });

  it('is free when its task is cancelled, or the engine stops', async () => {
    const { world, doorman, site } = await withPlaces(2);
    const task_id = await world.submit(site);
    await world.submit(site);
    await world.time.settle();
    await world.time.until(site.engine.cancelTask(task_id));
    expect(doorman.inside).toBe(1);
    await world.time.until(site.engine.stop());
    expect(doorman.inside).toBe(0);
  });
});
