import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Router } from '../../core/ports/router.ts';
import { TestProvider } from '../../engine/testing/provider.suite.ts';
import { agent, BridgeWorld, foreignTask, ownTask } from './service.suite.ts';

let world: BridgeWorld;
beforeEach(async () => {
  world = await BridgeWorld.open();
});
afterEach(() => world.close());

/** Calls of it as they come. */
function called(provider: TestProvider, count: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => provider.calls.length >= count && resolve();
    provider.onCall = look;
    look();
  });
}

describe('a task of an engine', () => {
  it('is called once, and its answer told with everything an engine needs', async () => {
    const provider = new TestProvider();
    provider.reply = ({ params }) => ({
      word: 'done',
      result: JSON.stringify({ said: params['text'] ?? null }),
    });
    await world.bridge([provider]);
    const { message, correlation_id, name } = ownTask();
    await world.send(message);
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{ run_id: 'run-1', task_id: name.task_id, attempt: 1, status: 'SUCCESS', correlation_id },
      ...{ output_data: { said: 'hello' }, error_message: null, provider: 'provider-1' },
      ...{ answer: { word: 'done' }, called: { protocol: 'test/v1', method: 'echo', secrets: false } },
    });
    expect(provider.calls).toHaveLength(1);
    expect(provider.calls[0]).toMatchObject({ call_id: name.task_id, attempt: 1, workflow_id: 'run-1' });
    await world.news.until(({ length }) => length === 2);
    expect(world.news.items.map(({ kind, engine }) => [kind, engine])).toEqual([
      ['started', 'engine-1'],
      ['ended', 'engine-1'],
    ]);
    await world.done();
  });

  it('is not tried again here, whatever its agent says of retries', async () => {
    const provider = new TestProvider();
    await world.bridge([provider]);
    await world.send(ownTask().message);
    await called(provider, 1);
    provider.calls[0]?.failed('GLZ2002', 'no connection');
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{ status: 'FAILURE', output_data: null, error_message: 'no connection' },
      answer: { word: 'failed', error: { data: { error_code: 'GLZ2002' } } },
    });
    await world.done();
    expect(provider.calls).toHaveLength(1);
  });

  it('has its time from when the call is made', async () => {
    const provider = new TestProvider();
    await world.bridge([provider]);
    await world.send(ownTask({ timeout_ms: 20 }).message);
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({ answer: { error: { data: { error_code: 'GLZ2003' } } } });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
  });

  it('leaves its place when the call has ended, however it did', async () => {
    const provider = new TestProvider();
    let left = 0;
    const leave = () => {
      left += 1;
    };
    const router: Router = {
      protocols: () => [],
      route: () => ({ word: 'go', passage: { provider, leave } }),
    };
    await world.bridge([provider], { parts: { router } });
    const { message, name } = ownTask();
    await world.send(ownTask().message, ownTask({ timeout_ms: 20 }).message, message);
    await called(provider, 3);
    provider.calls.find(({ task_id }) => task_id !== name.task_id)?.failed('GLZ2002', 'no connection');
    await world.cancel(name);
    await world.done();
    expect(left).toBe(3);
  });

  it('is dropped, too, where its time is over while it stands in line', async () => {
    const line = { kind: 'breaker', key: 'provider-1', fair: false } as const;
    const router: Router = { protocols: () => [], route: () => ({ word: 'wait', line }) };
    await world.bridge([new TestProvider()], { parts: { router } });
    await world.send(ownTask({ expires_in: 50 }).message);
    await world.done();
    expect(world.observed).toContain('dropped expired');
  });

  it('that nobody waits for any more is dropped, and the partition goes on', async () => {
    const provider = new TestProvider();
    provider.reply = () => ({ word: 'done', result: '1' });
    await world.bridge([provider]);
    await world.send(ownTask({ expires_in: -1 }).message, ownTask().message);
    await world.results.until(({ length }) => length === 1);
    await world.done();
    expect(provider.calls).toHaveLength(1);
    expect(world.observed).toContain('dropped expired');
    expect(world.log.find(({ level }) => level === 'warn')?.fields).toMatchObject({ agent: 'provider-1' });
  });

  it('that somebody outside has to do something for is told as an outcome, and as news', async () => {
    const provider = new TestProvider();
    const wait = {
      kind: 'input',
      ask: 'which?',
      kept: { id: 7 },
      token: null,
      after_ms: null,
      late: 'fail',
    } as const;
    provider.reply = () => ({ word: 'outside', wait });
    await world.bridge([provider]);
    await world.send(ownTask().message);
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{
        status: 'FAILURE',
        error_message: 'Task state: input-required',
        answer: { word: 'outside', wait },
      },
    });
  });

  it('keeps what its call wants to keep before that goes on', async () => {
    const provider = new TestProvider();
    provider.reply = async ({ keep }) => ({ word: 'done', result: JSON.stringify(await keep?.({ job: 1 })) });
    await world.bridge([provider]);
    const { message, name } = ownTask();
    await world.send(message);
    await world.results.until(({ length }) => length === 1);
    await world.kept.until(({ length }) => length === 1);
    expect(world.kept.items[0]).toMatchObject({
      task_id: name.task_id,
      provider: 'provider-1',
      kept: { job: 1 },
    });
    expect(world.results.items[0]).toMatchObject({ output_data: { result: true } });
  });

  it('tells how it is getting on', async () => {
    const provider = new TestProvider();
    await world.bridge([provider]);
    await world.send(ownTask().message);
    await called(provider, 1);
    provider.calls[0]?.report?.({ progress: 1, total: 2 });
    await world.news.until((items) => items.some(({ kind }) => kind === 'progress'));
    provider.calls[0]?.done(1);
    await world.news.until((items) => items.some(({ kind }) => kind === 'ended'));
    expect(world.news.items[1]).toMatchObject({ kind: 'progress', progress: { progress: 1, total: 2 } });
  });

  it('for somebody unknown fails at once, so that it is tried elsewhere', async () => {
    await world.bridge([]);
    await world.send(ownTask().message);
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{ status: 'FAILURE', provider: null, answer: { error: { data: { error_code: 'GLZ2007' } } } },
    });
    await world.done();
  });
});

describe('what comes twice', () => {
  it('while it runs is called once, and both are done with', async () => {
    const provider = new TestProvider();
    await world.bridge([provider]);
    const { message } = ownTask();
    await world.send(message, message);
    await called(provider, 1);
    await world.send(message);
    provider.calls[0]?.done({ n: 1 });
    await world.done();
    await world.results.until(({ length }) => length > 0);
    expect(provider.calls).toHaveLength(1);
    const told = new Set(world.results.items.map((result) => JSON.stringify(result)));
    expect(told.size).toBe(1);
  });

  it('after it ended is answered by the same result again', async () => {
    const provider = new TestProvider();
    provider.reply = () => ({ word: 'done', result: JSON.stringify({ chance: Math.random() }) });
    await world.bridge([provider]);
    const { message } = ownTask();
    await world.send(message);
    await world.done();
    await world.send(message);
    await world.results.until(({ length }) => length === 2);
    expect(world.results.items[1]).toEqual(world.results.items[0]);
    expect(provider.calls).toHaveLength(1);
    expect(world.observed).toEqual(['received own', 'received repeated']);
  });

  it('of another executor is the same only if it was written at the same time', async () => {
    const writer = agent('Writer');
    writer.reply = () => ({ word: 'done', result: '{}' });
    await world.bridge([writer]);
    const ids = { task_id: 'same', correlation_id: 'same' };
    await world.send(foreignTask('Writer', ids), foreignTask('Writer', ids));
    await world.done();
    expect(writer.calls).toHaveLength(1);
    await world.send(foreignTask('Writer', { ...ids, timestamp: '2026-01-31T12:00:05' }));
    await world.done();
    expect(writer.calls).toHaveLength(2);
  });
});

describe('cancelling', () => {
  it('ends the call and tells nothing that could be recorded', async () => {
    const provider = new TestProvider();
    await world.bridge([provider]);
    const { message, name } = ownTask();
    await world.send(message);
    await called(provider, 1);
    await world.cancel(name);
    await world.done();
    expect(provider.calls[0]?.signal.reason).toMatchObject({ code: 'GLZ2009' });
    expect(world.results.items).toEqual([]);
    expect(world.observed).toContain('dropped cancelled');
  });

  it('counts for a message that comes later', async () => {
    const provider = new TestProvider();
    provider.reply = () => ({ word: 'done', result: '1' });
    await world.bridge([provider]);
    const [first, other] = [ownTask(), ownTask()];
    await world.cancel(first.name);
    await world.send(other.message);
    await world.done();
    await world.send(first.message);
    await world.done();
    expect(provider.calls.map(({ task_id }) => task_id)).toEqual([other.name.task_id]);
  });
});
