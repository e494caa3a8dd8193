import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProtocol } from '../../core/protocol.ts';
import { functionProvider } from '../../dialects/function/provider.ts';
import type { ExecutionSettings } from './settings.ts';
import { executeBody, openSite, shiftedClock, TOKEN } from './site.suite.ts';

let site: Awaited<ReturnType<typeof openSite>>;
beforeAll(async () => {
  site = await openSite();
  await site.house.ask('workflow.define', {
    workflow: {
      name: 'reply',
      tasks: [
        { id: 'look', protocol: 'test/v1', method: 'sign', params: { key: '${workflow.input.bot_token}' } },
        {
          id: 'answer',
          protocol: 'test/v1',
          method: 'echo',
          dependencies: ['look'],
          params: { response_text: 'you said: ${workflow.input.text}', mood: '${workflow.input.mood}' },
        },
      ],
    },
  });
});
beforeAll(() => {
  const workflow = { name: 'slow', tasks: [{ id: 'wait', protocol: 'test/v1', method: 'hold' }] };
  return site.house.ask('workflow.define', { workflow });
});
afterAll(() => site.house.close());

const hold = { execute: { protocol: 'test/v1', method: 'hold' }, budget_ms: 0 } as const;

async function held(count: number): Promise<void> {
  await expect.poll(() => site.house.holding.length).toBeGreaterThanOrEqual(count);
}

describe('execute_task', () => {
  it('calls one method with everything that was sent, and takes no text for a reference', async () => {
    const { execute } = site.zone();
    const text = 'what is ${workflow.input.bot_token} and $${this}?';
    const { result } = await execute({
      text,
      attachments: [{ name: 'a' }],
      mood: { calm: '${x}' },
      budget_ms: 20_000,
    });
    expect(result?.status).toBe('success');
    // What the method was called with is what it echoes, without a response_text of its own.
    expect(result).toEqual({ status: 'success', response_text: text });
  });

  it('starts a workflow, and answers with the result of its last step', async () => {
    const { execute } = site.zone({ execute: { workflow: 'reply' } });
    const { result } = await execute({ text: 'good morning', mood: 'calm' });
    expect(result).toEqual({ status: 'success', response_text: 'you said: good morning', mood: 'calm' });
  });

  it('answers with the step that the configuration names, its secrets masked', async () => {
    const { execute } = site.zone({ execute: { workflow: 'reply', reply: 'look' } });
    const { result } = await execute({ mood: 'calm' });
    expect(result).toEqual({ status: 'success', response_text: '{"token":"[secret]"}' });
  });

  it('answers with the last of several steps that no other waits for, whichever ended first', async () => {
    const task = (id: string) => ({ id, protocol: 'test/v1', method: 'echo', params: { text: id } });
    const tasks = [task('first'), task('second'), task('last')];
    await site.house.ask('workflow.define', { workflow: { name: 'leaves', tasks } });
    const { execute } = site.zone({ execute: { workflow: 'leaves' } });
    expect((await execute()).result).toEqual({ status: 'success', response_text: 'last' });
  });

  it('answers the same in time and later, whatever step is named by then', async () => {
    const task = (id: string) => ({ id, protocol: 'test/v1', method: 'echo', params: { text: 'QUICK' } });
    for (const tasks of [[task('only')], [task('only'), task('other')]])
      await site.house.ask('workflow.define', { workflow: { name: 'short', tasks } });
    const of = (version: string, reply: string) =>
      site.zone({ execute: { workflow: 'short', version, reply } });
    const key = { idempotency_key: 'a run of one step' };
    const done = { status: 'success', response_text: 'QUICK' };
    expect((await of('1', 'only').execute(key)).result).toEqual(done);
    const failed = { error: { code: -32004, data: { reason: 'no step has a result' } } };
    const later = await of('2', 'other').execute(key);
    expect(later).toMatchObject(failed);
    expect(await of('2', 'other').result(Object(later.error?.data).task_id)).toMatchObject(failed);
  });

  it('masks what the result of a method holds of secrets', async () => {
    const { protocols, router } = site.house;
    const sign = { returns: { response_text: {}, token: { 'x-secret': true } } };
    protocols.register(parseProtocol({ name: 'secretive/v1', methods: { sign } }));
    const methods = { sign: () => ({ response_text: 'signed', token: 'hidden' }) };
    router.connect(functionProvider({ id: 'secretive', protocol: 'secretive/v1', methods }));
    const { execute } = site.zone({ execute: { protocol: 'secretive/v1', method: 'sign' } });
    const masked = { status: 'success', response_text: 'signed', token: '[secret]' };
    expect((await execute()).result).toEqual(masked);
  });

  it('answers with the last of many steps', async () => {
    const called = { protocol: 'test/v1', method: 'echo' };
    const tasks = Array.from({ length: 501 }, (_, n) => ({
      id: `s${n}`,
      ...called,
      params: { text: `${n}` },
    }));
    await site.house.ask('workflow.define', { workflow: { name: 'many', tasks } });
    const { execute } = site.zone({ execute: { workflow: 'many', reply: 's500' } });
    expect((await execute()).result).toEqual({ status: 'success', response_text: '500' });
  });

  it('is accepted where it takes longer than the budget, and can be asked for until it is done', async () => {
    const { execute, result } = site.zone(hold);
    const { result: accepted } = await execute();
    const task_id = String(accepted?.task_id);
    expect(accepted).toEqual({ status: 'accepted', task_id });
    expect((await result(task_id)).result).toEqual({ status: 'pending', task_id });
    await held(1);
    const asking = result(task_id, 20_000);
    site.house.holding.shift()?.('at last');
    const done = { status: 'success', response_text: 'at last' };
    expect((await asking).result).toEqual(done);
    expect((await result(task_id)).result).toEqual(done);
  });

  it('answers at once with what there is when whoever asked is gone', async () => {
    const { endpoint } = site.zone(hold);
    const body = Buffer.from(executeBody({ budget_ms: 60_000 }));
    expect(await endpoint(body, { signal: AbortSignal.abort() })).toContain('"accepted"');
  });
});

describe('a result', () => {
  it('is there until it expires, and nobody else’s runs are', async () => {
    const clock = shiftedClock();
    const { execute, result } = site.zone({ retention_ms: 600_000 }, { clock });
    // A budget of nothing: the name of the task is told.
    const task_id = String((await site.zone(hold).execute()).result?.task_id);
    await held(1);
    for (const answer of site.house.holding.splice(0)) answer('kept');
    await expect.poll(async () => (await result(task_id, 20_000)).result?.status).toBe('success');
    const settled = (await site.house.store.reads.task(task_id))?.task.settled_at ?? 0;
    clock.stands_at = settled + 600_000;
    expect((await result(task_id)).result?.status).toBe('success');
    clock.stands_at = settled + 600_001;
    expect(await result(task_id)).toMatchObject({ error: { code: -32002 } });
    expect(await result('zone-unheard-of')).toMatchObject({
      error: { code: -32002, data: { task_id: 'zone-unheard-of' } },
    });
    const other = await site.house.ask('workflow.submit', {
      name: 'reply',
      input: { text: 't', mood: 'm', bot_token: 'b' },
    });
    expect(await result(String(other['workflow_id']))).toMatchObject({ error: { code: -32002 } });
    expect((await execute()).result?.status).toBe('success');
  });

  it('that comes too late is a timeout, for whoever waits and for whoever asks later', async () => {
    const { execute, result } = site.zone({ ...hold, timeout_ms: 300, budget_ms: 20_000 });
    expect(await execute({ correlation_id: 'c-1' })).toMatchObject({
      error: { code: -32001, data: { correlation_id: 'c-1' } },
    });
    const late = await site.zone({ ...hold, timeout_ms: 300 }).execute();
    await expect
      .poll(async () => (await result(String(late.result?.task_id), 1000)).error?.code)
      .toBe(-32001);
  });

  it.each<[string, ExecutionSettings['execute']]>([
    ['a task by itself', hold.execute],
    ['a run', { workflow: 'slow' }],
  ])('may be had after somebody has retried what came too late: %s', async (_, execute) => {
    const zone = site.zone({ ...hold, execute, timeout_ms: 2000, budget_ms: 20_000 });
    const late = await zone.execute();
    expect(late).toMatchObject({ error: { code: -32001 } });
    const task_id = String(Object(late.error?.data).task_id);
    const tasks = await site.house.store.reads.tasks({ status: ['failed'], limit: 1 });
    site.house.holding.splice(0);
    await site.house.ask('task.retry', { task_id: tasks.items[0]?.task_id ?? '' });
    expect((await zone.result(task_id)).result).toEqual({ status: 'pending', task_id });
    await held(1);
    site.house.holding.shift()?.('at last');
    expect((await zone.result(task_id, 20_000)).result).toMatchObject({ response_text: 'at last' });
  });

  it('is not cut short by a clock that differs from the store’s, and is cancelled only where somebody did', async () => {
    const clock = shiftedClock();
    const { execute, result } = site.zone({ ...hold, retention_ms: 600_000 }, { clock });
    const [open, stopped] = [await execute(), await execute()].map(({ result }) => String(result?.task_id));
    await site.house.ask('task.cancel', { task_id: stopped ?? '', reason: 'no longer wanted' });
    clock.ahead_ms = 60_001;
    expect((await result(open ?? '')).result?.status).toBe('pending');
    expect(await result(stopped ?? '')).toMatchObject({ error: { code: -32005 } });
  });

  it('of a run is waited for while it is paused', async () => {
    const { execute, result } = site.zone({ ...hold, execute: { workflow: 'slow' } });
    const id = randomUUID();
    const workflow_id = String((await execute({}, id)).result?.task_id);
    await site.house.ask('workflow.pause', { workflow_id });
    expect((await execute({}, id)).result).toEqual({ status: 'accepted', task_id: workflow_id });
    expect((await result(workflow_id)).result).toEqual({ status: 'pending', task_id: workflow_id });
    await site.house.ask('workflow.cancel', { workflow_id });
    expect(await result(workflow_id)).toMatchObject({ error: { code: -32005 } });
  });

  it('of a workflow comes in time too, although nobody asks for it', async () => {
    const { execute, result } = site.zone({ ...hold, execute: { workflow: 'slow' }, timeout_ms: 300 });
    const workflow_id = String((await execute()).result?.task_id);
    const ended = () => site.house.ask('workflow.status', { workflow_id });
    await expect.poll(async () => (await ended())['status']).toBe('failed');
    expect(await result(workflow_id)).toMatchObject({ error: { code: -32001 } });
  });
});

it.each<[string, ExecutionSettings['execute'], object]>([
  ['a task by itself', { protocol: 'test/v1', method: 'echo' }, {}],
  ['a run', { protocol: 'test/v1', method: 'echo' }, { idempotency_key: 'as deep as may be' }],
  ['a workflow', { workflow: 'reply' }, { mood: 'calm' }],
])('what is as deep as a request may be is run as well: %s', async (_, execute, more) => {
  const params = JSON.stringify({ channel: 'C1', text: 'hello', bot_token: TOKEN, ...more, deep: 0 });
  const deep = params.replace('"deep":0', `"deep":${'['.repeat(126)}${']'.repeat(126)}`);
  const body = `{"jsonrpc":"2.0","id":"${randomUUID()}","method":"execute_task","params":${deep}}`;
  expect((await site.zone({ execute }).send(body)).result?.status).toBe('success');
});

it('the token is nowhere but with whoever was to have it', async () => {
  const { execute } = site.zone({ execute: { protocol: 'test/v1', method: 'refuse' } });
  const failed = await execute({ correlation_id: `for ${TOKEN}` });
  expect(failed).toMatchObject({ error: { code: -32004 } });
  const texts = [JSON.stringify(failed), JSON.stringify(site.house.log)];
  for await (const event of events()) texts.push(JSON.stringify(event));
  expect(texts.join('\n')).not.toContain(TOKEN);
});

it('a token that is repeated in a reply is neither stored nor handed back', async () => {
  const { execute } = site.zone();
  const { result } = await execute({ response_text: `I am ${TOKEN}`, again: [TOKEN] });
  expect(result).toMatchObject({
    response_text: 'I am [secret]',
    again: ['[secret]'],
    bot_token: '[secret]',
  });
});

it('a token that is repeated beside its own place is not stored there, and no name may be the token', async () => {
  const repeated = { text: `it costs $$${TOKEN}`, mood: { calm: [TOKEN] } };
  await site.zone().execute(repeated);
  await site.zone({ execute: { workflow: 'reply' } }).execute(repeated);
  const refused = await site.zone().execute({ bot: { [TOKEN]: 1 } });
  expect(refused).toMatchObject({ error: { code: -32602, data: { field: 'params' } } });
  expect(JSON.stringify(refused)).not.toContain(TOKEN);
  // What is so short stands in names by chance.
  expect((await site.zone().execute({ bot_token: 'text' })).result?.status).toBe('success');
  expect(await site.stored()).toContain('it costs $');
  expect(await site.stored()).not.toContain(TOKEN);
});

/** Everything that was ever told. */
async function* events() {
  const page = await site.house.store.reads.events({ after: 0, limit: 10_000 });
  yield* page.events;
}
