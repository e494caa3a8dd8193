import { describe, expect, it } from 'vitest';
import type { Method } from '../api/method.ts';
import { type MethodName, methods } from '../api/methods.ts';
import type { RpcParams } from '../rpc/messages.ts';
import { fieldName, paramsReaders } from './params.ts';

const read = (name: MethodName, params?: RpcParams) => paramsReaders()(name, methods[name] as Method)(params);

describe('params', () => {
  it('may be left out where none are needed', () => {
    expect(read('queue.stats')).toEqual({});
  });

  it('get their defaults', () => {
    expect(read('task.list', {})).toEqual({ limit: 100, order: 'newest' });
  });

  it('that the engine judges are left to it', () => {
    const params = { task: 7, anything: [], priority: 'top' };
    expect(read('task.submit', params)).toEqual(params);
    expect(read('workflow.submit', { workflow: [] })).toEqual({ workflow: [] });
  });

  it.each([
    ['task.status', {}, 'task_id', 'is missing', undefined],
    ['task.status', { taskId: 'x' }, 'task_id', 'is missing', 'did you mean it by "taskId"?'],
    ['task.status', { task_id: 7 }, 'task_id', 'must be string, not 7', undefined],
    ['task.status', { task_id: 'x', wiat: 1 }, 'wiat', 'unknown key "wiat"', 'known keys: task_id'],
    ['task.list', { status: 7 }, 'status', 'must be string or array, not 7', undefined],
    [
      'task.list',
      { status: 'fialed' },
      'status',
      /^must be one of "waiting", .* not "fialed"$/,
      'did you mean "failed"?',
    ],
    ['task.list', { status: ['fialed'] }, '/status/0', /^must be one of/, 'did you mean "failed"?'],
    ['task.list', { limit: 5000 }, 'limit', 'must be <= 1000, found 5000', undefined],
    ['task.list', [], 'params', /by name/, /status, priority/],
    ['queue.stats', [], 'params', /by name/, 'queue.stats takes none'],
  ] as const)('of %s that are wrong are named: %j', (name, params, field, reason, hint) => {
    const thrown = expect.objectContaining({
      code: 'GLZ1012',
      details: { field, reason: text(reason), ...(hint === undefined ? {} : { hint: text(hint) }) },
    });
    expect(() => read(name, params)).toThrow(thrown);
  });
});

function text(expected: string | RegExp): unknown {
  return typeof expected === 'string' ? expected : expect.stringMatching(expected);
}

describe('a field', () => {
  it('is called by its name, and what lies inside by a pointer', () => {
    expect(['/a', '/a/b', '', 'a', '/a~1b', '/'].map(fieldName)).toEqual(['a', '/a/b', '', 'a', 'a/b', '']);
  });
});
