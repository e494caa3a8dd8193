import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { type Line, nobodyCame, type Router } from '../core/ports/router.ts';
import type { Write } from '../core/writes.ts';
import { Lines } from './lines.ts';
import { Doorman } from './testing/doorman.suite.ts';
import { done, TestProvider } from './testing/provider.suite.ts';
import { once, type Site, step, World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

const LINE = 'line concurrency protocol test/v1';

async function setUp(places = 1, { concurrency = 4, exclusive = true } = {}) {
  const world = new World(exclusive);
  const provider = new TestProvider();
  const other = new TestProvider('other', 'test/other');
  const router = new Doorman([provider, other], places, world.time);
  const site = await world.started({ provider, parts: { router }, options: { concurrency } });
  return { world, provider, other, router, site };
}

async function submitMany(world: World, site: Site, count: number, task: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(await world.submit(site, { ...once, ...task }));
  await world.time.settle();
  return ids;
}

const writesOf = (world: World, kind: Write['kind']) =>
  world.data.journal.flatMap(({ writes }) => writes).filter((write) => write.kind === kind);

describe('a task for which there is no place', () => {
  it('waits in the store without an attempt, and says what for', async () => {
    const { world, site } = await setUp();
    const [, second = ''] = await submitMany(world, site, 2);
    expect(world.row(second)).toMatchObject({
      status: 'queued',
      owner: null,
      parked: LINE,
      attempt_count: 0,
    });
    const found = await site.store.reads.task(second);
    expect(found === null ? null : viewTask(found, { protocols: () => ['test/v1'] }).waiting_for).toEqual({
      kind: 'concurrency',
      key: 'protocol test/v1',
      until: null,
    });
    expect(world.eventsOf(second)).toEqual(['task:queued']);
  });

  it('comes when one has left, each in its turn, and a place is free for it', async () => {
    const { world, provider, site, router } = await setUp(2);
    const ids = await submitMany(world, site, 7);
    const ran: string[] = [];
    while (ran.length < ids.length) {
      expect(router.inside).toBe(Math.min(2, ids.length - ran.length));
      const call = provider.calls[ran.length];
      ran.push(call?.task_id ?? 'nobody');
      call?.done();
      await world.time.settle();
    }
    expect(ran).toEqual(ids);
    expect(world.time.monotonic()).toBeLessThan(100);
    const called = router.asked.filter((request) => request.called).map(({ task_id }) => task_id);
    expect(new Set(called)).toEqual(new Set(ids.slice(2)));
  });

  it('takes no slot from others', async () => {
    const { world, other, site } = await setUp(1, { concurrency: 2 });
    await submitMany(world, site, 30);
    other.reply = () => done();
    const id = await world.submit(site, { protocol: 'test/other' });
    await world.time.settle();
    expect(world.row(id).status).toBe('completed');
  });

  it('is put into its line together with others', async () => {
    const { world, provider, site } = await setUp(1, { concurrency: 20 });
    const tasks = Array.from({ length: 15 }, () => ({ task: { protocol: 'test/v1', method: 'echo' } }));
    await world.time.until(site.engine.submitMany(tasks));
    await world.time.settle();
    expect(writesOf(world, 'release')).toMatchObject([{ line: LINE, leases: { length: 14 } }]);
    expect(provider.calls).toHaveLength(1);
  });

  it('is told of to whoever waits for it when it ends in the commit that puts it into its line', async () => {
    const { world, site, router } = await setUp();
    await submitMany(world, site, 1);
    const route = router.route.bind(router);
    router.route = (request) => {
      const joined = Promise.resolve().then(() => {});
      void joined.then(() => site.engine.cancelTask(request.task_id));
      return route(request);
    };
    const id = await world.submit(site, once);
    const outcome = site.engine.result(id, Number.POSITIVE_INFINITY);
    await world.time.settle();
    const kinds = world.data.journal.map(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).toContainEqual(expect.arrayContaining(['release', 'cancel_task']));
    expect(await world.time.until(outcome)).toMatchObject({ status: 'cancelled' });
  });

  it('ends like any other when it is cancelled or out of time', async () => {
    const { world, provider, site } = await setUp();
    const [first = '', second = ''] = await submitMany(world, site, 2);
    const [third = ''] = await submitMany(world, site, 1, { total_timeout: 5 });
    const [last = ''] = await submitMany(world, site, 1);
    await world.time.until(site.engine.cancelTask(second));
    expect(await world.outcome(site, third)).toMatchObject({ error: { data: { error_code: 'GLZ2003' } } });
    provider.callOf(first).done();
    await world.time.settle();
    provider.callOf(last).done();
    expect(await world.outcome(site, last)).toMatchObject({ status: 'completed' });
  });

  it('waits for its run where that is paused, and goes on with it', async () => {
    const { world, provider, site } = await setUp();
    const definition = { name: 'w', tasks: [step('a'), step('b'), step('c')] };
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(definition));
    await world.time.settle();
    await world.time.until(site.engine.pauseRun(workflow_id ?? ''));
    provider.last.done();
    await world.time.settle();
    expect(provider.calls).toHaveLength(1);
    provider.reply = () => done();
    await world.time.until(site.engine.resumeRun(workflow_id ?? ''));
    expect(await world.time.until(site.engine.runResult(workflow_id ?? '', 1000))).toMatchObject({
      status: 'completed',
    });
  });
});

describe('a line that nobody remembers', () => {
  it('is called when an engine starts, as fast as there are places', async () => {
    const { world, site } = await setUp(1, { concurrency: 30 });
    const ids = await submitMany(world, site, 20);
    site.store.crash();
    const provider = new TestProvider();
    provider.reply = () => done();
    const router = new Doorman([provider], 3, world.time);
    const next = await world.started({ provider, parts: { router } });
    await world.time.settle();
    expect(ids.map((id) => world.row(id).status)).toEqual(ids.map(() => 'completed'));
    expect(world.time.monotonic()).toBeLessThan(100);
    expect(next.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is called when another engine is given up', async () => {
    const { world, site } = await setUp(1, { exclusive: false });
    const ids = await submitMany(world, site, 6);
    const provider = new TestProvider();
    provider.reply = () => done();
    const router = new Doorman([provider], 1, world.time);
    await world.started({ provider, parts: { router } });
    site.store.crash();
    await world.time.advance(60_000);
    expect(ids.slice(1).map((id) => world.row(id).status)).toEqual(ids.slice(1).map(() => 'completed'));
  });

  it('is called when providers change', async () => {
    const world = new World();
    const provider = new TestProvider();
    const line: Line = { kind: 'breaker', key: 'provider provider-1', fair: false };
    let open = false;
    let changed = () => {};
    const router: Router = {
      protocols: () => ['test/v1'],
      route: () => (open ? { word: 'go', passage: { provider, leave: () => {} } } : { word: 'wait', line }),
      onChange: (listener) => {
        changed = listener;
        return () => {};
      },
    };
    const site = await world.started({ provider, parts: { router } });
    await submitMany(world, site, 1);
    expect(provider.calls).toHaveLength(0);
    open = true;
    changed();
    changed();
    await world.time.settle();
    expect(provider.calls).toHaveLength(1);
  });

  it('is called now and then, whatever went wrong', async () => {
    const world = new World();
    const provider = new TestProvider();
    const line: Line = { kind: 'rate', key: 'protocol test/v1', fair: false };
    let open = false;
    const router: Router = {
      protocols: () => ['test/v1'],
      route: () => (open ? { word: 'go', passage: { provider, leave: () => {} } } : { word: 'wait', line }),
    };
    const site = await world.started({ provider, parts: { router } });
    await submitMany(world, site, 2);
    open = true;
    await world.time.advance(60_000);
    expect(provider.calls).toHaveLength(2);
  });
});

describe('calling a line', () => {
  const line: Line = { kind: 'rate', key: 'k', fair: true };
  const lease = (task_id: string) => ({ task_id, owner: 'e', fence: 1 });

  function linesWith(answer: (write: Write) => unknown) {
    const writes: Write[] = [];
    let now = 0;
    const write = async (made: Write) => {
      writes.push(made);
      return answer(made);
    };
    const clock = { monotonic: () => now, wall: () => now };
    const lines = new Lines({ writer: { write } as never, clock });
    const advance = (ms: number) => {
      now += ms;
    };
    return { lines, writes, advance };
  }

  it('is one write for all that comes up in a turn, behind those who join', async () => {
    const { lines, writes } = linesWith(() => ({ called: ['t1', 't2', 't3'], more: false, released: 2 }));
    const come = [lines.room(line, 2), lines.room(line, 0), lines.room(line, 2)];
    await Promise.all([lines.join(lease('t1'), line), lines.join(lease('t2'), line)]);
    expect((await Promise.all(come)).map(({ count }) => count)).toEqual([2, 0, 1]);
    const leases = [lease('t1'), lease('t2')].map(({ task_id, fence }) => ({ task_id, fence }));
    expect(writes).toEqual([
      { kind: 'release', owner: 'e', leases, line: 'line rate k' },
      { kind: 'call_line', line: 'line rate k', places: 4, fair: true },
    ]);
  });

  it('is known of those who were called, once and for a while', async () => {
    const { lines, advance } = linesWith(() => ({ called: ['t1', 't2'] }));
    expect(lines.howCalled('t1')).toBeNull();
    await lines.room(line, 2);
    expect([lines.howCalled('t1'), lines.howCalled('t1'), lines.howCalled('other')]).toEqual([
      { how: 'called', line: 'line rate k', together: 2 },
      null,
      null,
    ]);
    advance(60_000);
    expect(lines.howCalled('t2')).toBeNull();
  });

  it('tells of those whom somebody else has claimed, once everything that was ready is claimed', async () => {
    const { lines } = linesWith(() => ({ called: ['t1', 't2', 't3', 't4'] }));
    const astray: string[] = [];
    const room = (name: string, count: number) =>
      lines.room(line, count, (gone) => astray.push(`${name} ${gone}`));
    const came = await Promise.all([room('first', 3), room('second', 1)]);
    expect(came.map(({ count }) => count)).toEqual([3, 1]);
    lines.howCalled('t1');
    const all = { more: false, emptied: new Set(['a']) };
    lines.allClaimed(all, (task_id) => task_id === 't2' || task_id === 't4');
    lines.allClaimed(all, () => false);
    expect(astray).toEqual(['first 1']);
    expect(['t2', 't3', 't4'].map((id) => lines.howCalled(id)?.how ?? null)).toEqual([
      'called',
      null,
      'called',
    ]);
  });

  it('forgets the oldest where there are too many', async () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => `t${index}`);
    const { lines } = linesWith(() => ({ called: ids }));
    await lines.room(line, 20_000);
    expect([lines.howCalled('t0'), lines.howCalled('t1')?.how]).toEqual([null, 'called']);
  });

  it('tells those it found by looking at all lines from those it called', async () => {
    const { lines } = linesWith(() => ({ called: [{ task_id: 't1', line: 'x' }], next: null }));
    await lines.callSome();
    const found = { how: 'found', line: 'x', together: 1 };
    expect([lines.howCalled('t1'), lines.howCalled('t1')]).toEqual([found, null]);
  });

  it('brings nobody where the engine has stopped', async () => {
    const stopped = new GleitzeitError('GLZ9002', 'the engine has stopped');
    const { lines } = linesWith(() => {
      throw stopped;
    });
    expect(await lines.room(line, 1)).toEqual(nobodyCame);
    await expect(lines.join(lease('t1'), line)).rejects.toBe(stopped);
    lines.callAll();
    await lines.callSome();
  });
});
