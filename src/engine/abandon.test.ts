import { expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import type { AttemptRecord } from '../core/records.ts';
import { SEALED } from '../core/secrets.ts';
import { outside } from '../core/testing/builders.suite.ts';
import { Pools } from '../router/pools.ts';
import { TestProvider } from './testing/provider.suite.ts';
import { keepingLogger, World } from './testing/world.suite.ts';

async function asked(task: object = {}, kept: Json = { remote: 7 }) {
  const world = new World();
  const router = new Pools({ clock: world.time, timers: world.time, logger: keepingLogger([]) });
  const told = new TestProvider('provider-1');
  router.connect(told);
  const { engine } = await world.started({ parts: { router } });
  const task_id = await world.submit({ engine }, task);
  told.last.answer(outside({ kept }));
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

it('a provider whose task was sealed for a secret in what it kept is told of it in the clear, where it can be opened', async () => {
  const password = 'hunter2-of-a-job';
  for (const opens of [true, false]) {
    const { world, told, engine, task_id } = await asked(
      { method: 'login', params: { password } },
      { job: password },
    );
    const { attempts } = world.row(task_id);
    expect(JSON.stringify(attempts)).not.toContain(password);
    const kept = { [SEALED]: 'v1.00000000.AAAA' };
    if (!opens) world.data.tasks.set(task_id, { ...world.row(task_id), attempts: keeping(attempts, kept) });
    await world.time.until(engine.cancelTask(task_id));
    expect(told.abandoned).toEqual(opens ? [{ task_id, call_id: task_id, kept: { job: password } }] : []);
  }
});

function keeping(attempts: readonly AttemptRecord[], kept: Json): AttemptRecord[] {
  return attempts.map((attempt) => {
    const before = attempt.outside?.kept;
    if (before === undefined) return attempt;
    return { ...attempt, outside: { ...attempt.outside, kept: { ...before, text: JSON.stringify(kept) } } };
  });
}
