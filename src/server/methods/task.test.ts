import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { chain, echo, strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused, submitted, ran } = strictCaller(() => house);

describe('task methods', () => {
  it('take a task flat and under `task`, and give its result', async () => {
    const flat = await ask('task.submit', echo);
    expect(flat).toEqual({ task_id: expect.any(String), status: 'queued' });
    const { task_id } = await ask('task.submit', {
      task: { ...echo, priority: 'high' },
      idempotency_key: 'k1',
    });
    expect(
      await ask('task.submit', { task: { ...echo, priority: 'high' }, idempotency_key: 'k1' }),
    ).toMatchObject({
      task_id,
    });
    expect(await ask('task.result', { task_id: task_id ?? '', wait: 10_000 })).toEqual({
      task_id,
      status: 'completed',
      result: { text: 'hi' },
      stored_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(await ask('task.status', { task_id: task_id ?? '' })).toMatchObject({
      task_id,
      id: task_id,
      workflow_id: null,
      ...echo,
      priority: 'high',
      status: 'completed',
      attempt_count: 1,
      attempts: [{ attempt: 1, provider: 'test-1', error: null }],
      error: null,
      waiting_for: null,
      progress: null,
    });
  });

  it('answer a failed task with a result that has `error`, and an open one with its status', async () => {
    const bad = await submitted({ protocol: 'test/v1', method: 'refuse' });
    const result = await ask('task.result', { task_id: bad, wait: 10_000 });
    expect(result).toEqual({
      task_id: bad,
      status: 'failed',
      error: expect.objectContaining({ data: expect.objectContaining({ remote_code: -32602 }) }),
    });
    const open = await submitted({ protocol: 'test/v1', method: 'hold' });
    expect(Object.keys(await ask('task.result', { task_id: open, wait: 20 }))).toEqual(['task_id', 'status']);
    expect(await ask('task.cancel', { task_id: open, reason: 'enough' })).toEqual({
      task_id: open,
      status: 'cancelled',
      cancelled: true,
    });
    expect(await ask('task.cancel', { task_id: open })).toMatchObject({ cancelled: false });
    expect(await ask('task.result', { task_id: open })).toMatchObject({
      status: 'cancelled',
      error: { message: 'enough' },
    });
    expect(await ask('task.retry', { task_id: open })).toEqual({ task_id: open, status: 'queued' });
    await ask('task.cancel', { task_id: open });
    expect(await refused('task.retry', { task_id: await submitted(echo) })).toMatchObject({ code: 1011 });
  });

  it('take a reason of some length and no more', async () => {
    const reason = 'x'.repeat(1001);
    const tooLong = { code: -32602, data: { field: 'reason' } };
    expect(await refused('task.cancel', { task_id: 't', reason })).toMatchObject(tooLong);
    expect(await refused('workflow.cancel', { workflow_id: 'w', reason })).toMatchObject(tooLong);
    const just = { task_id: 't', reason: 'x'.repeat(1000) };
    expect(await refused('task.cancel', just)).toMatchObject({ code: 1010 });
  });

  it('let go of a wait whose caller is gone', async () => {
    const task_id = await submitted({ protocol: 'test/v1', method: 'hold' });
    const leave = new AbortController();
    const waiting = house.call('task.result', { task_id, wait: 60_000 }, { signal: leave.signal });
    leave.abort();
    expect(await waiting).toMatchObject({ result: { task_id, status: expect.any(String) } });
    await ask('task.cancel', { task_id });
  });

  it('refuse a task that is given both ways, or that depends on another', async () => {
    expect(await refused('task.submit', { task: echo, protocol: 'test/v1' })).toMatchObject({
      code: -32602,
      data: { field: 'protocol', hint: 'move "protocol" into task' },
    });
    expect(await refused('task.submit', { ...echo, dependencies: ['x'] })).toMatchObject({
      code: -32602,
      data: { error_code: 'GLZ1001', field: '/dependencies/0', hint: expect.stringContaining('workflow') },
    });
  });

  it('say where in the params something is wrong', async () => {
    expect((await refused('task.submit', { method: 'echo' })).data).toMatchObject({
      error_code: 'GLZ1001',
      field: 'protocol',
    });
    expect(
      (await refused('task.submit', { task: { protocol: 'test/v1', methode: 'echo' } })).data,
    ).toMatchObject({
      error_code: 'GLZ1001',
      field: '/task/methode',
      reason: 'unknown key "methode"',
      hint: 'did you mean "method"?',
      details: { problems: [{ field: '/task/methode' }, { field: '/task/method' }] },
    });
    expect((await refused('task.submit', { ...echo, method: 'add', params: { a: 'x' } })).data).toMatchObject(
      {
        error_code: 'GLZ1005',
        field: '/params/a',
        reason: 'must be number, not "x"',
      },
    );
    expect((await refused('task.submit', { task: { ...echo, protocol: 'tset/v1' } })).data).toMatchObject({
      error_code: 'GLZ1003',
      field: '/task/protocol',
      hint: 'did you mean "test/v1"?',
    });
    expect((await refused('task.submit', { ...echo, idempotency_key: '' })).data).toMatchObject({
      error_code: 'GLZ1012',
      field: 'idempotency_key',
    });
  });

  it('take many tasks, all of them or none', async () => {
    const { tasks } = await ask('task.submit_many', { tasks: [echo, { task: echo, idempotency_key: 'm1' }] });
    expect(tasks).toEqual([
      { task_id: expect.any(String), status: 'queued' },
      { task_id: expect.any(String), status: 'queued' },
    ]);
    const before = await ask('queue.stats');
    const error = await refused('task.submit_many', { tasks: [echo, { ...echo, methode: 1 }] });
    expect(error).toMatchObject({
      code: -32602,
      data: { field: '/tasks/1/methode', details: { problems: [{ field: '/tasks/1/methode' }] } },
    });
    expect(await refused('task.submit_many', { tasks: { 0: echo } })).toMatchObject({
      data: { field: 'tasks' },
    });
    expect(await refused('task.submit_many', {})).toMatchObject({
      data: { field: 'tasks', reason: 'is missing' },
    });
    const tooMany = { tasks: Array.from({ length: 10_001 }, () => echo) };
    expect(await refused('task.submit_many', tooMany)).toMatchObject({ data: { error_code: 'GLZ1001' } });
    const total = (stats: JsonObject) =>
      Object.values(stats['tasks'] as Record<string, number>).reduce((a, b) => a + b);
    expect(total(await ask('queue.stats'))).toBe(total(before));
  });

  it('mask what is secret, in params and in results', async () => {
    const task_id = await submitted({ protocol: 'test/v1', method: 'sign', params: { key: 'hush-hush' } });
    expect(await ask('task.result', { task_id, wait: 10_000 })).toMatchObject({
      result: { token: '[secret]' },
    });
    expect(await ask('task.status', { task_id })).toMatchObject({ params: { key: '[secret]' } });
    expect(JSON.stringify(house.log)).not.toContain('hush-hush');
  });

  it('hand a large result on as it is', async () => {
    const text = 'ß'.repeat(1_000_000);
    const task_id = await submitted({ ...echo, params: { text } });
    const { result } = await ask('task.result', { task_id, wait: 10_000 });
    expect(result).toEqual({ text });
  });

  it('list tasks, page by page', async () => {
    const workflow_id = await ran(chain);
    const first = await ask('task.list', { workflow_id, order: 'oldest', limit: 1 });
    expect(first).toMatchObject({ items: [{ id: 'first', protocol: 'test/v1', status: 'completed' }] });
    const second = await ask('task.list', {
      workflow_id,
      order: 'oldest',
      limit: 1,
      cursor: String(first['next_cursor']),
    });
    expect(second).toMatchObject({ items: [{ id: 'second' }], next_cursor: null });
    expect(await ask('task.list', { status: 'skipped', priority: ['low'] })).toEqual({
      items: [],
      next_cursor: null,
    });
    const none = { created_from: '2020-01-01T00:00:00Z', created_to: '2020-01-02T00:00:00Z' };
    expect(await ask('task.list', none)).toEqual({ items: [], next_cursor: null });
    expect(await refused('task.list', { created_from: '1998-12-31T23:59:60Z' })).toMatchObject({
      data: { error_code: 'GLZ1012', field: 'created_from' },
    });
    expect(await refused('task.list', { cursor: 'nonsense' })).toMatchObject({ data: { field: 'cursor' } });
    expect(await refused('task.list', { stauts: 'failed' })).toMatchObject({
      code: -32602,
      data: { error_code: 'GLZ1012', field: 'stauts', hint: 'did you mean "status"?' },
    });
    expect(await refused('task.list', { status: 'fialed' })).toMatchObject({
      data: { field: 'status', hint: expect.stringContaining('failed') },
    });
  });

  it('know nothing of what is not there', async () => {
    for (const method of ['task.status', 'task.result', 'task.cancel', 'task.retry'] as const) {
      const { code, data } = await refused(method, { task_id: 'nobody' });
      expect([code, data['error_code'], data['field']]).toEqual([1010, 'GLZ1010', 'task_id']);
    }
  });
});
