import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { chain, echo, strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const { ask, refused, ran } = strictCaller(() => house);
const failing = {
  name: 'failing',
  tasks: [
    { id: 'good', ...echo },
    { id: 'bad', protocol: 'test/v1', method: 'refuse', dependencies: ['good'] },
    { id: 'after', ...echo, dependencies: ['bad'] },
  ],
};

describe('workflow methods', () => {
  it('run a workflow that is sent along', async () => {
    const answer = await ask('workflow.submit', { workflow: chain });
    expect(answer).toEqual({
      workflow_id: expect.any(String),
      status: 'running',
      tasks: { first: expect.any(String), second: expect.any(String) },
    });
    const workflow_id = String(answer['workflow_id']);
    expect(await ask('workflow.results', { workflow_id, wait: 10_000 })).toEqual({
      workflow_id,
      status: 'completed',
      results: { first: { sum: 2 }, second: { sum: 12 } },
    });
    expect(await ask('workflow.results', { workflow_id, tasks: ['second'] })).toMatchObject({
      results: { second: { sum: 12 } },
    });
    expect(await ask('workflow.status', { workflow_id })).toMatchObject({
      workflow_id,
      name: 'chain',
      status: 'completed',
      total: 2,
      open: 0,
      retry_of: null,
      tasks: [
        { id: 'first', task_id: (answer['tasks'] as JsonObject)['first'], status: 'completed' },
        { id: 'second', status: 'completed' },
      ],
      next_cursor: null,
    });
    const part = await ask('workflow.status', { workflow_id, limit: 1 });
    expect(part).toMatchObject({ tasks: [{ id: 'first' }], next_cursor: expect.any(String) });
    expect(await ask('workflow.list', { name: 'chain', status: ['completed'], limit: 1 })).toMatchObject({
      items: [{ name: 'chain' }],
    });
  });

  it('name a run as its sender does', async () => {
    const workflow = { ...chain, workflow_id: 'my-run' };
    expect(await ask('workflow.submit', { workflow })).toMatchObject({ workflow_id: 'my-run' });
    expect(await ask('workflow.submit', { workflow })).toMatchObject({ workflow_id: 'my-run' });
    expect(await refused('workflow.submit', { workflow: { ...workflow, name: 'other' } })).toMatchObject({
      code: 1009,
    });
    expect(await refused('workflow.submit', { workflow, workflow_id: 'x' })).toMatchObject({
      data: { field: 'workflow_id', hint: 'write it as workflow.workflow_id' },
    });
  });

  it('say what is wrong with a workflow, everything at once', async () => {
    const cyclic = {
      tasks: [
        { id: 'a', ...echo, needs: ['b'] },
        { id: 'b', ...echo, needs: ['a'] },
      ],
    };
    expect(await refused('workflow.submit', { workflow: cyclic })).toMatchObject({
      code: -32602,
      data: { error_code: 'GLZ1002', field: '/workflow/tasks' },
    });
    expect(await refused('workflow.submit', { workflow: 7 })).toMatchObject({ data: { field: 'workflow' } });
    expect(await refused('workflow.submit', {})).toMatchObject({
      data: { field: 'workflow', reason: 'is missing' },
    });
  });

  it('read the input, and refuse one that is none', async () => {
    const workflow = { tasks: [{ id: 'a', ...echo, params: { n: '${workflow.input.n}' } }] };
    const { workflow_id } = await ask('workflow.submit', { workflow, input: { n: [1] } });
    expect(await ask('workflow.results', { workflow_id: workflow_id ?? '', wait: 10_000 })).toMatchObject({
      results: { a: { n: [1] } },
    });
  });

  it('pause, resume and cancel', async () => {
    const workflow = {
      tasks: [
        { id: 'a', protocol: 'test/v1', method: 'hold' },
        { id: 'b', ...echo, needs: ['a'] },
      ],
    };
    const { workflow_id = '' } = await ask('workflow.submit', { workflow });
    expect(await ask('workflow.pause', { workflow_id })).toEqual({ workflow_id, status: 'paused' });
    expect(await ask('workflow.resume', { workflow_id })).toEqual({ workflow_id, status: 'running' });
    expect(await ask('workflow.cancel', { workflow_id, reason: 'enough' })).toEqual({
      workflow_id,
      status: 'cancelled',
      cancelled: 2,
    });
    expect(await refused('workflow.pause', { workflow_id })).toMatchObject({ code: 1011 });
    expect(await refused('workflow.resume', { workflow_id })).toMatchObject({ code: 1011 });
    expect(await ask('workflow.cancel', { workflow_id })).toMatchObject({ cancelled: 0 });
  });

  it('run again from the task that failed, and from one that is named', async () => {
    const workflow_id = await ran(failing);
    expect(await ask('workflow.status', { workflow_id })).toMatchObject({ status: 'failed' });
    const again = await ask('workflow.retry', { workflow_id });
    expect(again).toMatchObject({ retry_of: workflow_id, status: 'running' });
    expect(again['workflow_id']).not.toBe(workflow_id);
    const rerun = String(
      (await ask('workflow.retry', { workflow_id, from: 'good', input: 7 }))['workflow_id'],
    );
    expect(await ask('workflow.results', { workflow_id: rerun, wait: 10_000 })).toMatchObject({
      status: 'failed',
    });
    expect(await ask('workflow.status', { workflow_id: rerun })).toMatchObject({ retry_of: workflow_id });
    expect(await refused('workflow.retry', { workflow_id, from: 'godo' })).toMatchObject({
      code: -32602,
      data: { field: 'from' },
    });
  });

  it('keep definitions and run them by name', async () => {
    const workflow = { ...chain, name: 'kept' };
    expect(await ask('workflow.define', { workflow: { ...workflow, version: '1' } })).toEqual({
      name: 'kept',
      version: '1',
      created: true,
    });
    expect(await ask('workflow.definitions', { name: 'kept' })).toMatchObject({
      items: [{ name: 'kept', version: '1', tasks: 2 }],
      next_cursor: null,
    });
    const { workflow_id = '' } = await ask('workflow.submit', { name: 'kept', workflow_id: 'by-name' });
    expect(workflow_id).toBe('by-name');
    expect(await ask('workflow.results', { workflow_id, wait: 10_000 })).toMatchObject({
      status: 'completed',
    });
    expect(await ask('workflow.status', { workflow_id })).toMatchObject({ name: 'kept', version: '1' });
    expect(await refused('workflow.submit', { name: 'nobody' })).toMatchObject({ code: 1010 });
    expect(await refused('workflow.submit', { name: 'kept', version: '9' })).toMatchObject({ code: 1010 });
    expect(await refused('workflow.define', { workflow: {} })).toMatchObject({
      data: { field: '/workflow/tasks' },
    });
  });

  it('know nothing of what is not there', async () => {
    const names = ['status', 'results', 'cancel', 'pause', 'resume', 'retry'] as const;
    for (const name of names) {
      const { code, data } = await refused(`workflow.${name}`, { workflow_id: 'nobody' });
      expect([name, code, data['field']]).toEqual([name, 1010, 'workflow_id']);
    }
  });
});
