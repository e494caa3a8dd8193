import { describe, expect, it } from 'vitest';
import { parseTask, parseWorkflow } from './definition.ts';
import { GleitzeitError } from './errors.ts';
import { parseHiding } from './secret-problems.ts';

const schemas = {
  secrets: (protocol: string, method: string) => {
    if (protocol !== 'mail/v1') throw new GleitzeitError('GLZ1003', 'no such protocol');
    return { params: method === 'send' ? ['/password', '/keys/*', '/deep/token'] : [], result: [] };
  },
};

function refusal(parse: (raw: unknown) => unknown, raw: unknown): GleitzeitError {
  try {
    parseHiding(parse, raw, schemas);
  } catch (thrown) {
    return GleitzeitError.from(thrown);
  }
  throw new Error('it was taken');
}

const shown = (error: GleitzeitError) => JSON.stringify([error.message, error.details]) + error.stack;
const send = { protocol: 'mail/v1', method: 'send' };

describe('a secret that looks like a reference', () => {
  it.each([
    '${hunter2',
    '${hunter2.x}',
    'x${hunter2 y}',
    '${env.hunter2}',
    '${"hunter2"}',
    '${hunter2.result}',
  ])('of %j is not shown by the error that refuses it', (password) => {
    const error = refusal(parseTask, { ...send, params: { password } });
    expect(error.details.field).toBe('/params/password');
    expect(error.details.hint).toMatch(/write \$\$\{/);
    expect(shown(error)).not.toContain('hunter2');
  });

  it('is hidden in lists and objects too, and in the tasks of a workflow', () => {
    const tasks = [
      { id: 'a', ...send, params: { keys: ['fine', '${hunter2'] } },
      { id: 'b', ...send, params: { deep: { token: { all: '${hunter2}' } } } },
      { id: 'c', ...send, params: { password: '${hunter2.result}' } },
    ];
    const error = refusal(parseWorkflow, { tasks });
    expect(shown(error)).not.toContain('hunter2');
    expect(error.details).toMatchObject({
      field: '/tasks/0/params/keys/1',
      details: {
        problems: [
          { field: '/tasks/0/params/keys/1' },
          { field: '/tasks/1/params/deep/token/all' },
          { field: '/tasks/2/params/password' },
        ],
      },
    });
  });
});

describe('what is not marked as secret', () => {
  it.each([
    ['another field', { ...send, params: { subject: '${shown' } }],
    ['a method without secrets', { protocol: 'mail/v1', method: 'list', params: { password: '${shown' } }],
    ['a call that no protocol describes', { protocol: 'x/v1', method: 'y', params: { password: '${shown' } }],
    ['all of the params', { ...send, params: 'shown' }],
  ])('is shown: %s', (_, task) => {
    expect(shown(refusal(parseTask, task))).toMatch(/shown|must be an object/);
  });

  it('is shown beside what is', () => {
    const error = refusal(parseTask, { ...send, params: { password: '${hunter2' }, priority: 'shown' });
    expect(shown(error)).toContain('shown');
    expect(shown(error)).not.toContain('hunter2');
  });

  it.each([null, 5, { tasks: 'none' }, { tasks: [null] }])('may be no task or workflow at all: %j', (raw) => {
    expect(refusal(parseWorkflow, raw).code).toBe('GLZ1002');
  });
});

it('what is no problem of the definition stays as it was thrown', () => {
  const other = new GleitzeitError('GLZ9001', 'broken');
  for (const thrown of [other, new TypeError('broken')]) {
    const parse = () => {
      throw thrown;
    };
    expect(() => parseHiding(parse, {}, schemas)).toThrow(thrown);
  }
});
