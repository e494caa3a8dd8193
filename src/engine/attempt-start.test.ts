import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { echo, type Site, World } from './testing/world.suite.ts';

async function submitted(task: object = {}): Promise<{ world: World; site: Site; task_id: string }> {
  const world = new World();
  const site = await world.started();
  return { world, site, task_id: await world.submit(site, task) };
}

describe('the start of a call', () => {
  it('is written while a long call runs', async () => {
    const { world, task_id } = await submitted();
    expect(world.row(task_id).status).toBe('queued');
    await world.time.advance(10);
    expect(world.row(task_id)).toMatchObject({
      status: 'executing',
      attempt_count: 1,
      attempts: [{ attempt: 1, provider: 'provider-1', ended_at: null }],
    });
  });

  it('goes with the outcome of a short one, in one commit', async () => {
    const { world, site, task_id } = await submitted();
    const before = world.data.journal.length;
    site.provider.last.done();
    await world.outcome(site, task_id);
    await world.time.advance(10);
    const commits = world.data.journal.slice(before).map(({ writes }) => writes.map(({ kind }) => kind));
    expect(commits).toEqual([['settle']]);
    expect(world.eventsOf(task_id)).toEqual([
      'task:queued',
      'task:validated',
      'task:routed',
      'task:started',
      'task:completed',
    ]);
  });

  it('is told as long ago as it was', async () => {
    const { world, site, task_id } = await submitted();
    const queued = world.row(task_id).created_at;
    site.faults.beforeCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind === 'start')) throw new GleitzeitError('GLZ3001', 'away');
    };
    await world.time.advance(300);
    site.provider.last.done();
    await world.outcome(site, task_id);
    const [attempt] = world.row(task_id).attempts;
    expect(attempt).toMatchObject({ started_at: queued, ended_at: world.time.storeClock() });
  });
});

describe('a task that an engine died with', () => {
  /** A task whose engine was killed in the middle of its call, and the engine that comes next. */
  async function orphaned(given: Parameters<World['site']>[0] = {}) {
    const world = new World();
    const before = await world.started();
    const task_id = await world.submit(before);
    await world.time.advance(10);
    before.store.crash();
    return { world, site: world.site(given), task_id };
  }

  it('has its next start committed before its call is made', async () => {
    const { world, site, task_id } = await orphaned();
    const seen: string[] = [];
    site.provider.onCall = () => seen.push(world.row(task_id).status);
    await world.time.until(site.engine.start());
    await world.time.settle();
    expect(seen).toEqual(['executing']);
    expect(world.row(task_id)).toMatchObject({ suspect: true, attempt_count: 2 });
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(world.row(task_id).suspect).toBe(false);
  });

  it('is not called when that start is refused', async () => {
    const { world, site, task_id } = await orphaned();
    site.faults.beforeCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind === 'start')) {
        // Someone else took it meanwhile.
        world.data.putTask({ ...world.row(task_id), fence: 99, owner: 'someone else' });
        site.faults.beforeCommit = () => {};
      }
    };
    await world.time.until(site.engine.start());
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(0);
  });

  it('is not called when the commit that writes its start also takes it away', async () => {
    const provider = new TestProvider();
    const attemptStarted: Observer['attemptStarted'] = (attempt) => {
      queueMicrotask(() => void site.engine.cancelTask(task_id));
      return noObserver.attemptStarted(attempt);
    };
    const observer = { ...noObserver, attemptStarted };
    const { world, site, task_id } = await orphaned({ provider, parts: { observer } });
    await world.time.until(site.engine.start());
    await world.time.advance(1000);
    const kinds = world.data.journal.map(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).toContainEqual(expect.arrayContaining(['start', 'cancel_task']));
    expect(world.row(task_id)).toMatchObject({ status: 'cancelled', attempt_count: 2 });
    expect(provider.calls).toHaveLength(0);
  });

  it('is called once the start is written, when the store fails for a while', async () => {
    const { world, site, task_id } = await orphaned();
    let failures = 3;
    site.faults.beforeCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind === 'start') && failures-- > 0)
        throw new GleitzeitError('GLZ3003', 'disk full');
    };
    await world.time.until(site.engine.start());
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.row(task_id)).toMatchObject({ status: 'executing', attempt_count: 2 });
  });

  it('is called once, and loses no attempt, when the answer to that start is lost', async () => {
    const { world, site, task_id } = await orphaned();
    let lost = false;
    site.faults.afterCommit = ({ writes }) => {
      if (!lost && writes.some(({ kind }) => kind === 'start')) {
        lost = true;
        throw new GleitzeitError('GLZ3001', 'connection lost');
      }
    };
    await world.time.until(site.engine.start());
    await world.time.advance(1000);
    expect(lost).toBe(true);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.row(task_id).attempt_count).toBe(2);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });

  it('is given up when it has taken down as many engines as it has attempts', async () => {
    const world = new World();
    let site = await world.started();
    const task_id = await world.submit(site, { ...echo, retry_config: { max_attempts: 3 } });
    await world.time.advance(10);
    for (let deaths = 0; deaths < 5; deaths++) {
      site.store.crash();
      site = await world.started();
      await world.time.settle();
    }
    expect(world.row(task_id)).toMatchObject({
      status: 'failed',
      attempt_count: 3,
      error: { data: { error_code: 'GLZ2008' } },
    });
  });
});
