import { expect, it } from 'vitest';
import { outside } from '../core/testing/builders.suite.ts';
import { Pools } from '../router/pools.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { keepingLogger, World } from './testing/world.suite.ts';

async function asked(task: object = {}) {
  const world = new World();
  const router = new Pools({ clock: world.time, timers: world.time, logger: keepingLogger([]) });
  const told = new TestProvider('provider-1');
  router.connect(told);
  const { engine } = await world.started({ parts: { router } });
  const task_id = await world.submit({ engine }, task);
  told.last.answer(outside());
  await world.time.settle();
  return { world, router, told, engine, task_id };
}

it('a provider that asked is told where the task runs out of time meanwhile', async () => {
  const { world, told, engine, task_id } = await asked({ total_timeout: 60 });
  expect(await world.outcome({ engine }, task_id)).toMatchObject({ status: 'failed' });
  expect(told.abandoned).toEqual([{ task_id, call_id: task_id, kept: { remote: 7 } }]);
});

it('a provider that asked is told where the task is cancelled meanwhile', async () => {
  const { world, router, told, engine, task_id } = await asked();
  const cancelled = { status: 'cancelled', cancelled: true };
  expect(await world.time.until(engine.cancelTask(task_id))).toEqual(cancelled);
  expect(told.abandoned).toEqual([{ task_id, call_id: task_id, kept: { remote: 7 } }]);
  await world.time.until(engine.cancelTask(task_id));
  expect(told.abandoned).toHaveLength(1);
  router.abandon('nobody', { task_id, call_id: task_id, kept: null });
});
