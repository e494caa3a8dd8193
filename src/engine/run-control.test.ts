import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { echo, idIn, World } from './testing/world.suite.ts';

describe('a run', () => {
  it('that is paused has nothing further started, and goes on when it is resumed', async () => {
    const world = new World();
    const site = await world.started();
    const workflow = {
      tasks: [
        { id: 'a', ...echo },
        { id: 'b', ...echo, dependencies: ['a'] },
      ],
    };
    const { workflow_id, tasks } = await world.time.until(site.engine.submitWorkflow(workflow));
    await world.time.until(site.engine.pauseRun(workflow_id ?? ''));
    site.provider.last.done();
    await world.time.advance(5000);
    expect(site.provider.calls).toHaveLength(1);
    expect(world.row(idIn(tasks, 'b'))).toMatchObject({ status: 'queued', parked: 'paused' });
    await world.time.until(site.engine.resumeRun(workflow_id ?? ''));
    await world.time.settle();
    site.provider.last.done();
    const ended = await world.time.until(site.engine.runResult(workflow_id ?? '', 1000));
    expect(ended).toEqual({ workflow_id, status: 'completed' });
  });

  const wide = { tasks: Array.from({ length: 10 }, (_, index) => ({ id: `t${index}`, ...echo })) };

  it('that is paused starts nothing that was claimed already, and each task is called once', async () => {
    const world = new World();
    const site = await world.started();
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(wide));
    await world.time.settle();
    expect([site.provider.running, world.data.owned.size]).toEqual([4, 6]);
    await world.time.until(site.engine.pauseRun(workflow_id ?? ''));
    for (const call of [...site.provider.calls]) call.done();
    await world.time.advance(5000);
    expect(site.provider.calls).toHaveLength(4);
    expect(world.data.owned.size).toBe(0);
    site.provider.reply = () => ({ word: 'done', result: '1' });
    await world.time.until(site.engine.resumeRun(workflow_id ?? ''));
    const ended = await world.time.until(site.engine.runResult(workflow_id ?? '', 1000));
    expect(ended?.status).toBe('completed');
    expect(new Set(site.provider.calls.map(({ task_id }) => task_id)).size).toBe(10);
    expect(site.provider.calls).toHaveLength(10);
  });

  it('that is paused right after its calls began lets them go on', async () => {
    const world = new World();
    const site = await world.started();
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(wide));
    const pausing = site.engine.pauseRun(workflow_id ?? '');
    await world.time.until(pausing);
    expect(site.provider.calls).toHaveLength(4);
    expect(site.provider.calls.every(({ signal }) => !signal.aborted)).toBe(true);
    for (const call of site.provider.calls) call.done();
    await world.time.settle();
    const statuses = [...world.data.tasks.values()].map(({ status }) => status);
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(4);
  });

  it('that is being paused starts nothing while that is on its way to the store', async () => {
    const world = new World();
    const site = await world.started();
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(wide));
    await world.time.settle();
    const gate = Promise.withResolvers<void>();
    site.faults.afterCommit = ({ writes }) =>
      writes.some(({ kind }) => kind === 'pause_run') ? gate.promise : undefined;
    const pausing = site.engine.pauseRun(workflow_id ?? '');
    await world.time.settle();
    for (const call of [...site.provider.calls]) call.done();
    await world.time.settle();
    expect(site.provider.calls).toHaveLength(4);
    gate.resolve();
    await world.time.until(pausing);
    await world.time.advance(1000);
    expect(site.provider.calls).toHaveLength(4);
  });

  it('goes on where it could not be paused', async () => {
    const world = new World();
    const site = await world.started();
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(wide));
    await world.time.settle();
    site.provider.reply = () => ({ word: 'done', result: '1' });
    site.faults.beforeCommit = ({ writes }) => {
      if (writes.some(({ kind }) => kind === 'pause_run')) throw new GleitzeitError('GLZ3001', 'away');
    };
    const refused = expect(site.engine.pauseRun(workflow_id ?? '')).rejects.toMatchObject({
      code: 'GLZ3001',
    });
    await world.time.advance(100);
    await refused;
    for (const call of site.provider.calls.slice(0, 4)) call.done();
    const ended = await world.time.until(site.engine.runResult(workflow_id ?? '', 10_000));
    expect(ended?.status).toBe('completed');
  });

  it('that is paused through another engine has its waiting tasks taken from the one that claimed them', async () => {
    const world = new World(false);
    const one = await world.started();
    const { workflow_id } = await world.time.until(one.engine.submitWorkflow(wide));
    await world.time.advance(10);
    const other = world.site({ provider: new TestProvider('p2', 'test/v9') });
    await world.time.until(other.engine.pauseRun(workflow_id ?? ''));
    await world.time.settle();
    for (const call of [...one.provider.calls]) call.done();
    await world.time.advance(5000);
    expect(one.provider.calls).toHaveLength(4);
    expect(one.provider.calls.every(({ signal }) => !signal.aborted)).toBe(true);
    const statuses = [...world.data.tasks.values()].map(({ status }) => status);
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(4);
    await world.time.until(one.engine.resumeRun(workflow_id ?? ''));
    await world.time.settle();
    expect(one.provider.calls).toHaveLength(8);
  });

  it('that is paused elsewhere before its calls are on record has them ended, told why, and made again', async () => {
    const world = new World(false);
    const one = await world.started();
    const other = world.site({ provider: new TestProvider('p2', 'test/v9') });
    const { workflow_id } = await world.time.until(
      one.engine.submitWorkflow({ tasks: wide.tasks.slice(0, 1) }),
    );
    await world.time.until(other.engine.pauseRun(workflow_id ?? ''));
    await world.time.settle();
    expect(one.provider.calls).toHaveLength(1);
    expect(one.provider.last.signal.reason).toMatchObject({ message: expect.stringMatching(/paused/) });
    await world.time.until(other.engine.resumeRun(workflow_id ?? ''));
    await world.time.settle();
    expect(one.provider.calls).toHaveLength(2);
  });

  it('that is cancelled has all of its calls ended', async () => {
    const world = new World();
    const site = await world.started();
    const tasks = ['a', 'b', 'c'].map((id) => ({ id, ...echo }));
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow({ tasks }));
    const waits = site.engine.runResult(workflow_id ?? '', 60_000);
    const answer = await world.time.until(site.engine.cancelRun(workflow_id ?? '', 'enough'));
    expect(answer).toEqual({ status: 'cancelled', cancelled: 3 });
    expect(site.provider.calls.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(await world.time.until(waits)).toEqual({ workflow_id, status: 'cancelled' });
  });
});
