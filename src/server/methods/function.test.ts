import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strictCaller } from '../testing/caller.suite.ts';
import { type House, openHouse } from '../testing/house.suite.ts';

const add = { protocol: 'test/v1', method: 'add', params: { a: '${args.one}', b: '${args.two}' } };

let house: House;
beforeAll(async () => {
  house = await openHouse({ functions: () => ({ old_add: add }) });
});
afterAll(() => house.close());

const { ask, refused } = strictCaller(() => house);
const task = { type: 'function', function: 'old_add', args: { one: 1, two: 2 } };

describe('tasks that call functions', () => {
  it('are listed', async () => {
    expect(await ask('function.list')).toEqual({ items: [{ name: 'old_add', ...add }], next_cursor: null });
  });

  it('run alone, among many and in workflows', async () => {
    const { task_id } = await ask('task.submit', task);
    expect(await ask('task.result', { task_id: String(task_id), wait: 10_000 })).toMatchObject({
      result: { sum: 3 },
    });
    const many = (await ask('task.submit_many', { tasks: [task, { task }] }))['tasks'] as [];
    expect(many).toHaveLength(2);
    const second = { id: 'second', function: 'old_add', arguments: { one: '${first.result.sum}', two: 4 } };
    const workflow = { name: 'old', tasks: [{ id: 'first', ...task }, second] };
    const { workflow_id } = await ask('workflow.submit', { workflow });
    expect(await ask('workflow.results', { workflow_id: String(workflow_id), wait: 10_000 })).toMatchObject({
      results: { first: { sum: 3 }, second: { sum: 7 } },
    });
    expect(await ask('workflow.define', { workflow })).toMatchObject({ name: 'old' });
  });

  it('are refused by the name of the nearest function', async () => {
    const wrong = { ...task, function: 'old_ad' };
    const said = { reason: 'no function is called "old_ad"', hint: 'did you mean "old_add"?' };
    expect((await refused('task.submit', wrong)).data).toMatchObject({ field: 'function', ...said });
    expect((await refused('task.submit', { task: wrong })).data).toMatchObject({ field: '/task/function' });
    const many = await refused('task.submit_many', { tasks: [task, wrong] });
    expect(many.data).toMatchObject({ field: '/tasks/1/function', error_code: 'GLZ1004' });
    const workflow = { tasks: [{ id: 'a', ...wrong }] };
    expect((await refused('workflow.submit', { workflow })).data).toMatchObject({
      field: '/workflow/tasks/0/function',
      ...said,
    });
  });
});
