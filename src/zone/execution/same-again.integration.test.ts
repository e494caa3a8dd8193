import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashText } from '../../store/hash.ts';
import type { ExecuteTaskParams } from '../contract/methods.ts';
import { planRun, planTask } from './plan.ts';
import type { ExecutionSettings } from './settings.ts';
import { defaultSettings, executeBody, openSite, TOKEN } from './site.suite.ts';
import { earlierName } from './submission.ts';

let site: Awaited<ReturnType<typeof openSite>>;
beforeAll(async () => {
  site = await openSite();
  await site.house.ask('workflow.define', { workflow: workflow('1') });
});
afterAll(() => site.house.close());

const hold = { execute: { protocol: 'test/v1', method: 'hold' }, budget_ms: 0 } as const;

function workflow(version: string, more: object = {}) {
  const task = { protocol: 'test/v1', method: 'hold', params: { version }, ...more };
  return { name: 'reply', version, tasks: [{ id: 'one', ...task }] };
}

describe('the same again', () => {
  it('runs once, by its id or by its key', async () => {
    const { execute } = site.zone(hold);
    const id = randomUUID();
    const [first, second] = await Promise.all([execute({}, id), execute({}, id)]);
    expect(first.result?.task_id).toBe(second.result?.task_id);
    const keyed = { idempotency_key: `key-${id}` };
    const [one, other] = await Promise.all([execute(keyed), execute(keyed)]);
    expect(one.result?.task_id).toBe(other.result?.task_id);
    expect(one.result?.task_id).not.toBe(first.result?.task_id);
  });

  it('may come with another token: the task has the one that it began with', async () => {
    for (const execute of [hold.execute, { workflow: 'reply' }]) {
      const zone = site.zone({ ...hold, execute });
      const known = { idempotency_key: randomUUID() };
      for (const more of [{}, known]) {
        const id = randomUUID();
        const first = await zone.execute(more, id);
        expect(first.result?.status).toBe('accepted');
        expect((await zone.execute({ ...more, bot_token: 'a-rotated-token' }, id)).result).toEqual(
          first.result,
        );
      }
    }
  });

  it('is refused with another body', async () => {
    const { execute } = site.zone(hold);
    const id = randomUUID();
    await execute({}, id);
    const idempotency_key = `other-${id}`;
    const conflict = { id, error: { code: -32003 } };
    expect(await execute({ text: 'something else' }, id)).toMatchObject(conflict);
    expect(await execute({ idempotency_key }, id)).toMatchObject(conflict);
    const keyed = randomUUID();
    await execute({ idempotency_key }, keyed);
    expect(await execute({ idempotency_key, text: 'something else' })).toMatchObject({
      error: { code: -32003 },
    });
    expect(await execute({}, keyed)).toMatchObject({ error: { code: -32003 } });
    expect(await execute({ idempotency_key: 'a third' }, keyed)).toMatchObject({ error: { code: -32003 } });
  });
});

describe('the same again after the configuration has changed', () => {
  const targets: ExecutionSettings['execute'][] = [
    { protocol: 'test/v1', method: 'hold' },
    { workflow: 'reply', version: '1' },
    { workflow: 'reply', version: '2' },
    { agent: 'Writer' },
  ];
  const changes = targets.flatMap((before) => targets.map((after) => [before, after] as const));

  beforeAll(async () => {
    await site.house.ask('workflow.define', { workflow: workflow('2', { timeout: 7 }) });
    await site.house.ask('agent.create', { name: 'Writer', url: 'http://127.0.0.1:9/' });
  });

  it.each(changes)('is the task that it was: %j, then %j', async (before, after) => {
    const id = randomUUID();
    const given = { text: `from ${JSON.stringify(before)}`, budget_ms: 0 };
    const first = await site.zone({ ...hold, execute: before }).execute(given, id);
    expect(first.result?.status).toBe('accepted');
    const later = site.zone({ ...hold, execute: after, timeout_ms: 1_234_000, retention_ms: 5 });
    expect((await later.execute(given, id)).result).toEqual(first.result);
    for (const other of [{ text: 'x' }, { channel: 'C2' }, { user_id: 'U' }])
      expect(await later.execute({ ...given, ...other }, id)).toMatchObject({ error: { code: -32003 } });
  });
});

describe('a key', () => {
  const keyed = (zone: ReturnType<typeof site.zone>, key: string, caller: string | null) =>
    zone
      .endpoint(Buffer.from(executeBody({ idempotency_key: key })), { caller })
      .then((text) => JSON.parse(text).result.task_id as string);

  it('is its caller’s own', async () => {
    const zone = site.zone(hold);
    const key = randomUUID();
    const [one, again] = [await keyed(zone, key, 'one'), await keyed(zone, key, 'one')];
    expect(again).toBe(one);
    expect(await keyed(zone, key, 'two')).not.toBe(one);
    expect(await keyed(zone, key, null)).not.toBe(one);
  });

  it('and an id do not give away the name of a run', async () => {
    const zone = site.zone({ ...hold, execute: { workflow: 'reply' } });
    const [key, id] = ['order-17', randomUUID()];
    await zone.execute({ idempotency_key: key });
    await zone.execute({}, id);
    for (const guessed of [key, id, `zone run ["id","${id}"]`])
      expect(await zone.result(`zone-${hashText(guessed)}`)).toMatchObject({ error: { code: -32002 } });
  });

  it('has nothing to do with an id that reads the same', async () => {
    const zone = site.zone({ ...hold, execute: { workflow: 'reply' } });
    const id = randomUUID();
    const one = (await zone.execute({}, id)).result?.task_id;
    const other = (await zone.execute({ idempotency_key: id })).result?.task_id;
    expect(other).toMatch(/^zone-/);
    expect(other).not.toBe(one);
  });
});

it('letters of an id may be written in either case', async () => {
  const id = randomUUID();
  for (const execute of [hold.execute, { workflow: 'reply' }]) {
    const zone = site.zone({ ...hold, execute });
    const sent = id.replace(/^./, execute === hold.execute ? 'a' : 'b');
    const first = (await zone.execute({}, sent)).result;
    expect((await zone.execute({}, sent.toUpperCase())).result).toEqual(first);
  }
});

describe('what was accepted when requests were told apart by what became of them', () => {
  const given = { channel: 'C1', text: 'hello', bot_token: TOKEN, budget_ms: 0 };
  const settings = { ...defaultSettings, ...hold };

  /** As the run that every request once was. */
  const asRun = async (id: string, params: ExecuteTaskParams) => {
    const workflow_id = earlierName({ id, params }, { hash: hashText });
    const { workflow, options } = planRun({ id, params }, settings, { defined: null, workflow_id });
    return (await site.house.engine.submitWorkflow(workflow, options)).workflow_id;
  };
  /** As a task by itself, or as the run it had to be. */
  const asBefore = async (id: string, params: ExecuteTaskParams) => {
    const lone = planTask({ id, params }, settings);
    if (lone === null) return asRun(id, params);
    return (await site.house.engine.submit(lone.task, lone.options, lone.inside)).tasks[0]?.[1];
  };

  it.each([
    ['a task by itself', asBefore],
    ['a run', asRun],
  ])('is found by its id: %s', async (_, accepted) => {
    const id = randomUUID();
    const task_id = await accepted(id, given);
    const { execute } = site.zone(hold);
    expect((await execute({}, id)).result).toEqual({ status: 'accepted', task_id });
    expect(await execute({ text: 'another' }, id)).toMatchObject({ error: { code: -32003 } });
    const idempotency_key = randomUUID();
    expect(await execute({ idempotency_key }, id)).toMatchObject({ error: { code: -32003 } });
  });

  it('is found by its key', async () => {
    const idempotency_key = randomUUID();
    const task_id = await asBefore(randomUUID(), { ...given, idempotency_key });
    const { execute } = site.zone(hold);
    for (const id of [randomUUID(), randomUUID()]) {
      expect((await execute({ idempotency_key }, id)).result).toEqual({ status: 'accepted', task_id });
      expect(await execute({ idempotency_key, text: 'another' })).toMatchObject({ error: { code: -32003 } });
    }
  });

  it('is not begun anew by a key that is refused', async () => {
    const { execute } = site.zone(hold);
    const idempotency_key = randomUUID();
    await execute({ idempotency_key });
    const id = randomUUID();
    expect(await execute({ idempotency_key, text: 'another' }, id)).toMatchObject({
      error: { code: -32003 },
    });
    const kept = await site.house.store.reads.run(
      earlierName({ id, params: { ...given, idempotency_key } }, { hash: hashText }),
    );
    expect(kept).toBeNull();
  });
});
