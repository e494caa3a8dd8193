import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_WAIT_MS } from '../api/shapes/basic.ts';
import { type Client, clientOver } from './index.ts';
import { PipePeer } from './pipe-peer.suite.ts';

describe('waits over a pipe', () => {
  let peer: PipePeer;
  let client: Client;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    vi.useFakeTimers();
    peer = new PipePeer();
    client = clientOver(peer.open, { reconnect: { first_ms: 100 } });
  });
  afterEach(() => {
    client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('are held by the server, and asked for again when it has waited long enough', async () => {
    const result = client.taskResult('t');
    const first = await peer.next('task.result');
    expect(first.params).toEqual({ task_id: 't', wait: MAX_WAIT_MS });
    await pass(20_000);
    (await peer.next('system.info')).answer({});
    await pass(40_000);
    first.answer({ task_id: 't', status: 'executing' });
    (await peer.next('task.result')).answer({ task_id: 't', status: 'skipped' });
    expect(await result).toEqual({ task_id: 't', status: 'skipped' });
  });

  it('are not asked for in a hurry where the server does not wait', async () => {
    const result = client.taskResult('t');
    for (let n = 0; n < 20; n++) {
      (await peer.next('task.result')).answer({ task_id: 't', status: 'queued' });
      await pass(0);
      expect(peer.untaken).toEqual([]);
      await pass(5000);
    }
    (await peer.next('task.result')).refuse({ error_code: 'GLZ9002' });
    await pass(5000);
    (await peer.next('task.result')).answer({ task_id: 't', status: 'completed', result: 1 });
    expect(await result).toEqual({ task_id: 't', status: 'completed', result: 1 });
  });

  it('for a run carry its results once, at the end', async () => {
    const results = client.runResults('w', { tasks: ['a'] });
    const held = await peer.next('workflow.results');
    expect(held.params).toEqual({ workflow_id: 'w', tasks: [], wait: MAX_WAIT_MS });
    held.answer({ workflow_id: 'w', status: 'completed', results: {} });
    const whole = await peer.next('workflow.results');
    expect(whole.params).toEqual({ workflow_id: 'w', tasks: ['a'] });
    whole.answer({ workflow_id: 'w', status: 'completed', results: { a: 1 } });
    expect(await results).toEqual({ workflow_id: 'w', status: 'completed', results: { a: 1 } });
  });

  it('go on where a run was reopened before its results were fetched', async () => {
    const results = client.runResults('w');
    (await peer.next('workflow.results')).answer({ workflow_id: 'w', status: 'failed', results: {} });
    (await peer.next('workflow.results')).answer({ workflow_id: 'w', status: 'running', results: {} });
    await pass(1000);
    const settled = { workflow_id: 'w', status: 'completed', results: {} };
    (await peer.next('workflow.results')).answer(settled);
    (await peer.next('workflow.results')).answer(settled);
    expect(await results).toEqual(settled);
  });

  it('of many share a subscription, and each asks when its own has settled', async () => {
    const few = Array.from({ length: 16 }, (_, index) => client.taskResult(`few ${index}`));
    for (const _ of few) expect((await peer.next('task.result')).params).toHaveProperty('wait');
    const [one, two] = [client.taskResult('one'), client.taskResult('two')];
    const { params, answer } = await peer.next('event.subscribe');
    expect(params).toEqual({ events: expect.arrayContaining(['task:completed', 'workflow:failed']) });
    expect(peer.untaken).toEqual([]);
    answer({ subscription_id: 's', cursor: 0 });
    for (const id of ['one', 'two']) {
      const asked = await peer.next('task.result');
      expect(asked.params).toEqual({ task_id: id });
      asked.answer({ task_id: id, status: 'queued' });
    }
    await pass(10);
    settle('two', 1);
    (await peer.next('task.result')).answer({ task_id: 'two', status: 'completed', result: 2 });
    expect(await two).toMatchObject({ result: 2 });
    settle('one', 2);
    (await peer.next('task.result')).answer({ task_id: 'one', status: 'failed' });
    expect(await one).toMatchObject({ status: 'failed' });
    expect((await peer.next('event.unsubscribe')).params).toEqual({ subscription_id: 's' });
    for (const wait of few) wait.catch(() => {});
  });

  it('hear of what settles while they ask', async () => {
    const few = Array.from({ length: 16 }, (_, index) => client.taskResult(`few ${index}`));
    for (const wait of few) wait.catch(() => {});
    for (const _ of few) await peer.next('task.result');
    const late = client.taskResult('late');
    (await peer.next('event.subscribe')).answer({ subscription_id: 's', cursor: 0 });
    const asked = await peer.next('task.result');
    settle('late', 1);
    asked.answer({ task_id: 'late', status: 'executing' });
    (await peer.next('task.result')).answer({ task_id: 'late', status: 'completed' });
    expect(await late).toMatchObject({ status: 'completed' });
  });

  it('that are given up count until the server has answered them', async () => {
    const stop = new AbortController();
    const given = Array.from({ length: 16 }, (_, index) =>
      client.taskResult(`${index}`, { signal: stop.signal }),
    );
    const held = [];
    for (const _ of given) held.push(await peer.next('task.result'));
    stop.abort(new Error('enough'));
    for (const wait of given) await expect(wait).rejects.toThrow('enough');
    const next = client.taskResult('next');
    next.catch(() => {});
    expect((await peer.next('event.subscribe')).params).toHaveProperty('events');
    for (const asked of held) asked.answer({ status: 'queued' });
    const direct = client.taskResult('direct');
    direct.catch(() => {});
    expect((await peer.next('task.result')).params).toEqual({ task_id: 'direct', wait: MAX_WAIT_MS });
  });

  it('are asked for again after a cut, those that are still wanted', async () => {
    const stop = new AbortController();
    const given = client.taskResult('given up', { signal: stop.signal });
    const kept = client.taskResult('kept');
    await peer.next('task.result');
    await peer.next('task.result');
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    peer.cut();
    await pass(100);
    const again = await peer.next('task.result');
    expect([again.params['task_id'], peer.untaken]).toEqual(['kept', []]);
    again.answer({ task_id: 'kept', status: 'completed' });
    expect(await kept).toMatchObject({ status: 'completed' });
  });

  it('fail together when the events they share do', async () => {
    const all = Array.from({ length: 18 }, (_, index) => client.taskResult(`${index}`));
    const outcomes = all.map((wait) => wait.catch((error: unknown) => error));
    for (let n = 0; n < 16; n++) await peer.next('task.result');
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ4002' });
    expect(await Promise.all(outcomes.slice(16))).toMatchObject([
      { error_code: 'GLZ4002' },
      { error_code: 'GLZ4002' },
    ]);
  });

  it('fail together when these fail later', async () => {
    const few = Array.from({ length: 16 }, (_, index) => client.taskResult(`few ${index}`));
    for (const wait of few) wait.catch(() => {});
    const last = client.taskResult('last').catch((error: unknown) => error);
    for (const _ of few) await peer.next('task.result');
    (await peer.next('event.subscribe')).answer({ subscription_id: 's', cursor: 0 });
    (await peer.next('task.result')).answer({ task_id: 'last', status: 'queued' });
    await pass(10);
    peer.cut();
    await pass(100);
    (await peer.next('event.subscribe')).refuse({ error_code: 'GLZ4002' });
    expect(await last).toMatchObject({ error_code: 'GLZ4002' });
  });

  function settle(task_id: string, cursor: number): void {
    const params = { subscription_id: 's', cursor, event: 'task:completed', at: '', task_id, data: {} };
    peer.say(JSON.stringify({ jsonrpc: '2.0', method: 'event', params }));
  }
});
