import { describe, expect, it } from 'vitest';
import { methodEntries } from '../api/methods.ts';
import { mayRepeat } from './repeats.ts';

describe('what is sent again after a cut', () => {
  it('is everything that only looks, as the method table says', () => {
    const looking = methodEntries.filter(
      ([, { role, needs_connection }]) => role === 'viewer' && !needs_connection,
    );
    const repeated = methodEntries.filter(([name]) => mayRepeat(name, {}));
    expect(repeated.map(([name]) => name)).toEqual(looking.map(([name]) => name));
  });

  it.each([
    ['task.submit', {}, false],
    ['task.submit', undefined, false],
    ['task.submit', { idempotency_key: 'k' }, true],
    ['workflow.submit', { name: 'w', idempotency_key: 'k' }, true],
    ['workflow.submit', { name: 'w', idempotency_key: 3 }, false],
    ['task.submit_many', { tasks: [{ task: {}, idempotency_key: 'a' }] }, true],
    ['task.submit_many', { tasks: [{ task: {}, idempotency_key: 'a' }, { protocol: 'p' }] }, false],
    ['task.submit_many', { tasks: [] }, false],
    ['task.submit_many', { idempotency_key: 'a' }, false],
    ['task.respond', { task_id: 't', response: 1, attempt: 2 }, true],
    ['task.respond', { task_id: 't', response: 1 }, false],
    ['task.respond', undefined, false],
    ['something.newer', { idempotency_key: 'k' }, true],
    ['something.newer', {}, false],
    ['constructor', {}, false],
  ])('%s with %j: %s', (method, params, expected) => {
    expect(mayRepeat(method, params)).toBe(expected);
  });
});
