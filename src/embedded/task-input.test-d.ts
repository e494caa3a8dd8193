import { describe, expectTypeOf, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
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

const mail = protocol({
  name: 'mail/v1',
  methods: {
    send: {
      params: {
        to: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        body: { type: 'object', properties: { text: { type: 'string' } } },
        form: {
          anyOf: [
            { type: 'object', properties: { html: { type: 'string' } } },
            { type: 'object', properties: { plain: { type: 'string' } } },
          ],
        },
        headers: { type: 'object', properties: { from: { type: 'string' } }, additionalProperties: true },
        other: {},
      },
    },
    count: { params: { since: { type: 'string' }, '*': true } },
    ping: {},
  },
});
declare const untyped: Gleitzeit;
declare const both: Gleitzeit<typeof text | typeof mail>;

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

  it('know tasks that name an agent', async () => {
    const { task_id } = await gleitzeit.submit({ agent: 'Writer', input: 'Hi', timeout: '5s' });
    const { result } = await gleitzeit.result(task_id);
    expectTypeOf(result).toEqualTypeOf<JsonObject | undefined>();
    void untyped.submit({ agent: 'Writer', input: { any: 'thing' } });
    void gleitzeit.submit({ tasks: [{ id: 'a', agent: 'Writer', input: { text: '${b.result.text}' } }] });
    // @ts-expect-error no task has this key
    void gleitzeit.submit({ agent: 'Writer', inputt: 'Hi' });
    // @ts-expect-error an agent is named by text
    void gleitzeit.submit({ agent: 5 });
  });

  it('show a misspelt key of a task', () => {
    const call = { protocol: 'text/v1', method: 'shout', params: { text: 'a' } } as const;
    // @ts-expect-error no task has this key
    void gleitzeit.submit({ ...call, prioritty: 'high' });
  });

  it('show a misspelt key of params', () => {
    const call = { protocol: 'text/v1', method: 'shout' } as const;
    void gleitzeit.submit({ ...call, params: { text: '${a.result}' } });
    // @ts-expect-error the method has no such param
    void gleitzeit.submit({ ...call, params: { text: 'a', txt: 'b' } });
    // @ts-expect-error the method has no such param
    void both.submit({ ...call, params: { text: 'a', since: 'b' } });
    // @ts-expect-error the method has no such param
    void both.submitMany([{ ...call, params: { text: 'a', since: 'b' } }]);
    // @ts-expect-error the method has no such param
    void both.submit({ tasks: [{ ...call, params: { text: 'a', since: 'b' } }] });
  });

  it('show a misspelt key deep inside of params', () => {
    const call = { protocol: 'mail/v1', method: 'send' } as const;
    void both.submit({ ...call, params: { to: [{ name: 'a' }, '${a.result}'], body: '${a.result.body}' } });
    // @ts-expect-error the object has no such key
    void both.submit({ ...call, params: { body: { txt: 'a' } } });
    // @ts-expect-error the objects of the list have no such key
    void both.submit({ ...call, params: { to: [{ name: 'a', nam: 'b' }] } });
    // @ts-expect-error no form of it has such a key
    void both.submit({ ...call, params: { form: { plain: 'a', rich: 'b' } } });
  });

  it('take any key where the schema does', () => {
    const call = { protocol: 'mail/v1', method: 'send' } as const;
    void both.submit({
      ...call,
      params: { headers: { from: 'a', 'x-any': 'b' }, other: { any: [{ b: 1 }] } },
    });
    void both.submit({ ...call, params: { form: { html: 'a' } } });
    void both.submit({ protocol: 'mail/v1', method: 'count', params: { since: 'a', until: 'b' } });
    void both.submit({ protocol: 'mail/v1', method: 'ping', params: { any: { thing: 1 } } });
    void both.submit({ protocol: 'mail/v1', method: 'ping' });
    const method = 'send' as 'send' | 'ping';
    void both.submit({ protocol: 'mail/v1', method, params: { body: { text: 'a' } } });
    const made: Record<string, string> = {};
    void both.submit({ ...call, params: { body: made } });
    void untyped.submit({ protocol: 'x/v1', method: 'y', params: { any: { thing: [1] } } });
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
