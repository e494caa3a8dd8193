import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { done } from './testing/provider.suite.ts';
import { echo, idIn, once, World } from './testing/world.suite.ts';

const many = (count: number, task: object = {}) =>
  Array.from({ length: count }, () => ({ task: { ...echo, ...task } }));

describe('the duties of an engine', () => {
  it('work off more than a batch without waiting: tasks whose time is up', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    await world.time.until(site.engine.submitMany(many(1200, { protocol: 'test/nobody', total_timeout: 5 })));
    await world.time.advance(4999);
    expect(site.provider.calls).toHaveLength(0);
    expect([...world.data.tasks.values()].every(({ status }) => status === 'queued')).toBe(true);
    await world.time.advance(1);
    expect([...world.data.tasks.values()].every(({ status }) => status === 'failed')).toBe(true);
  });

  it('are looked at when a total timeout runs out, and not before', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    await world.time.advance(100);
    const looks = () =>
      world.data.journal.filter(({ writes }) => writes.some(({ kind }) => kind === 'wake_due')).length;
    const before = looks();
    const task_id = await world.submit(site, { protocol: 'test/nobody', total_timeout: 5 });
    await world.time.advance(4999);
    expect(looks()).toBe(before);
    await world.time.advance(1);
    expect(looks()).toBe(before + 1);
    expect(world.row(task_id).status).toBe('failed');
  });

  it('work off more than a batch without waiting: tasks of an engine that died', async () => {
    const world = new World();
    const before = await world.started({ options: { concurrency: 400, commits_at_once: 1 } });
    await world.time.until(before.engine.submitMany(many(1200)));
    await world.time.advance(10);
    expect(world.data.owned.size).toBe(1200);
    before.store.crash();
    const site = world.site({ options: { concurrency: 400 } });
    site.provider.reply = () => done();
    await world.time.until(site.engine.start());
    await world.time.advance(10);
    expect(world.data.results.size).toBe(1200);
  });

  it('work off more than a batch without waiting: runs that were kept long enough', async () => {
    const world = new World();
    const site = world.site({ options: { keep_ms: 1000 } });
    await world.time.until(site.engine.submitMany(many(450)));
    site.provider.reply = () => done();
    await world.time.until(site.engine.start());
    await world.time.settle();
    expect(world.data.results.size).toBe(450);
    await world.time.advance(59_999);
    expect(world.data.tasks.size).toBe(450);
    await world.time.advance(1);
    expect(world.data.tasks.size).toBe(0);
  });

  it('are taken up again after the store failed them', async () => {
    const world = new World(false);
    const site = await world.started();
    let down = true;
    site.faults.beforeCommit = () => {
      if (down) throw new GleitzeitError('GLZ3001', 'away');
    };
    await world.time.advance(2500);
    down = false;
    await world.time.advance(3000);
    expect(world.data.engines.size).toBe(1);
    const task_id = await world.submit(site, { retry_config: { initial_delay: 1, jitter: 0 } });
    site.provider.last.failed('GLZ2002');
    await world.time.advance(1000);
    site.provider.last.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(site.log.some(({ message }) => message.includes('will be tried again'))).toBe(true);
  });

  it('notice in time the total timeout of a task that comes to the queue long after its run was accepted', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    const later = {
      id: 'later',
      ...echo,
      protocol: 'test/nobody',
      dependencies: ['first'],
      total_timeout: 5,
    };
    const run = { name: 'flow', tasks: [{ id: 'first', ...echo, ...once }, later] };
    const { tasks } = await world.time.until(site.engine.submitWorkflow(run));
    const task_id = idIn(tasks, 'later');
    await world.time.advance(7000);
    site.provider.last.done();
    await world.time.advance(4999);
    expect(world.row(task_id).status).toBe('queued');
    await world.time.advance(1);
    expect(world.row(task_id)).toMatchObject({
      status: 'failed',
      error: { data: { error_code: 'GLZ2003' } },
    });
    await world.time.until(site.engine.retryTask(task_id));
    await world.time.advance(4999);
    expect(world.row(task_id).status).toBe('queued');
    await world.time.advance(1);
    expect(world.row(task_id).status).toBe('failed');
  });

  it('notice in time a total timeout that begins because what came before was cancelled', async () => {
    const world = new World();
    const site = await world.started({ options: { poll_ms: 3600_000 } });
    const first = { id: 'first', ...echo, on_failure: 'continue' };
    const later = {
      id: 'later',
      ...echo,
      protocol: 'test/nobody',
      dependencies: ['first'],
      total_timeout: 5,
    };
    const { tasks } = await world.time.until(
      site.engine.submitWorkflow({ name: 'flow', tasks: [first, later] }),
    );
    await world.time.advance(7000);
    await world.time.until(site.engine.cancelTask(idIn(tasks, 'first')));
    await world.time.advance(5000);
    expect(world.row(idIn(tasks, 'later')).status).toBe('failed');
  });

  it('need no beats and no looking around where nobody else can be', async () => {
    const world = new World(true);
    await world.started();
    await world.time.advance(10_000);
    const kinds = world.data.journal.flatMap(({ writes }) => writes.map(({ kind }) => kind));
    expect(kinds).not.toContain('beat');
  });

  it('end with the engine', async () => {
    const world = new World(false);
    const site = await world.started();
    await world.time.until(site.engine.stop());
    const before = world.data.journal.length;
    await world.time.advance(120_000);
    expect(world.data.journal.length).toBe(before);
    expect(world.time.pending).toBe(0);
  });
});
