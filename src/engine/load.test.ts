import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD } from '../core/limits.ts';
import { CLAIM_BUDGET } from '../core/ports/store.ts';
import { done } from './testing/provider.suite.ts';
import { echo, type Site, World } from './testing/world.suite.ts';

const big = 'x'.repeat(5 * 1024 * 1024);

/** A backlog that nobody worked on, and then an engine with many slots. */
async function takenUp(world: World, submit: (site: Site) => Promise<unknown>): Promise<Site> {
  const sender = world.site();
  await world.time.until(submit(sender));
  await world.time.until(sender.engine.stop());
  await sender.store.close();
  return world.started({ options: { concurrency: 256 } });
}

async function submitMany({ engine }: Site, count: number, params: object): Promise<void> {
  for (let i = 0; i < count; i++) await engine.submit({ ...echo, params });
}

/** Answers calls as long as some are under way. */
async function finish(world: World, site: Site): Promise<void> {
  for (let done = 0; done < site.provider.calls.length; ) {
    for (; done < site.provider.calls.length; done++) site.provider.calls[done]?.done();
    await world.time.settle();
  }
}

describe('tasks with large params', () => {
  it('are claimed as far as there is memory for them, and all are done', async () => {
    const world = new World();
    const site = await takenUp(world, (sender) => submitMany(sender, 40, { big }));
    await world.time.settle();
    const held = world.data.owned.size;
    expect(held * big.length).toBeGreaterThan(3 * CLAIM_BUDGET);
    expect(held * big.length).toBeLessThan(6 * CLAIM_BUDGET);
    await finish(world, site);
    expect([...world.data.tasks.values()].every(({ status }) => status === 'completed')).toBe(true);
    expect(site.provider.most).toBeLessThanOrEqual(held);
  });

  it('leave room for others again once they are done', async () => {
    const world = new World();
    const site = await takenUp(world, async (sender) => {
      await submitMany(sender, 30, { big });
      await submitMany(sender, 300, { small: true });
    });
    await finish(world, site);
    expect([...world.data.tasks.values()].every(({ status }) => status === 'completed')).toBe(true);
    expect(site.provider.most).toBeGreaterThan(50);
  });

  it('too large for any claim are done one after the other', async () => {
    const world = new World();
    const site = await world.started();
    const sides = ['a1', 'a2', 'a3'];
    const texts = sides.map((id) => `\${${id}.result.part}`);
    const joins = ['j1', 'j2', 'j3'].map((id) => ({ id, ...echo, params: { texts } }));
    const workflow = { tasks: [...sides.map((id) => ({ id, ...echo })), ...joins] };
    const large = { part: 'small', rest: 'x'.repeat(MAX_PAYLOAD - 100) };
    site.provider.reply = ({ params }) => done('texts' in params ? 'ok' : large);
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(workflow));
    const told = await world.time.until(site.engine.runResult(workflow_id ?? '', 60_000));
    expect(told?.status).toBe('completed');
  });
});

describe('tasks that read a large input of their run', () => {
  it('share it, and run side by side', async () => {
    const world = new World();
    const params = { n: '${workflow.input.n}' };
    const tasks = Array.from({ length: 100 }, (_, index) => ({ id: `t${index}`, ...echo, params }));
    const site = await takenUp(world, (sender) =>
      sender.engine.submitWorkflow({ tasks }, { input: { n: 1, big } }),
    );
    await world.time.settle();
    expect(site.provider.running).toBe(100);
    await finish(world, site);
    expect([...world.data.runs.values()]).toMatchObject([{ status: 'completed' }]);
  });
});
