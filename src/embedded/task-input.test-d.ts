import { describe, expectTypeOf, it } from 'vitest';
import { protocol } from '../registry/typed.ts';
import type { Gleitzeit } from './gleitzeit.ts';

const text = protocol({
  name: 'text/v1',
  methods: {
    shout: {
      params: { text: { type: 'string', required: true } },
      returns: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  },
});
declare const gleitzeit: Gleitzeit<typeof text>;

describe('types of what is submitted', () => {
  it('know the result of a task by its call', async () => {
    const call = { protocol: 'text/v1', method: 'shout', params: { text: 'a' } } as const;
    const spread = await gleitzeit.submit({ ...call, priority: 'high' });
    const written = await gleitzeit.submit({
      protocol: 'text/v1',
      method: 'shout',
      params: { text: 'a' },
      retry_config: { max_attempts: 2 },
    });
    for (const { task_id } of [spread, written]) {
      const { result } = await gleitzeit.result(task_id);
      expectTypeOf(result?.text).toEqualTypeOf<string | undefined>();
    }
  });

  it('show a misspelt key of a task', () => {
    const call = { protocol: 'text/v1', method: 'shout', params: { text: 'a' } } as const;
    // @ts-expect-error no task has this key
    void gleitzeit.submit({ ...call, prioritty: 'high' });
  });

  it('know both words for what a task waits for', () => {
    const call = { protocol: 'text/v1', method: 'shout', params: { text: 'a' } } as const;
    const tasks = [
      { id: 'a', ...call },
      { id: 'b', ...call, needs: ['a'] },
      { id: 'c', ...call, dependencies: ['a'] },
    ] as const;
    void gleitzeit.submit({ tasks });
    void gleitzeit.submit({ tasks: [{ id: 'a', ...call, needs: [] }] });
    // @ts-expect-error task ids are texts
    void gleitzeit.submit({ tasks: [{ id: 'a', ...call, needs: [7] }] });
  });
});
