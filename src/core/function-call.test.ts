import { describe, expect, it } from 'vitest';
import { GleitzeitError } from './errors.ts';
import { type Functions, renewTask, renewWorkflow } from './function-call.ts';
import type { JsonObject } from './json.ts';

const functions: Functions = {
  web_search: {
    protocol: 'web-search/v1',
    method: 'search',
    params: { query: '${args.q}', max_results: '${args.n}' },
  },
  summarize: { protocol: 'llm/v1', method: 'generate' },
};

function refusal(work: () => unknown) {
  try {
    work();
  } catch (thrown) {
    const { code, details } = GleitzeitError.from(thrown);
    return { code, field: details.field, reason: details.reason, hint: details.hint };
  }
  throw new Error('was not refused');
}

describe('a task that names a function', () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { id: 's', type: 'function', function: 'web_search', args: { q: 'x', n: 3 }, priority: 'high' },
      {
        id: 's',
        priority: 'high',
        protocol: 'web-search/v1',
        method: 'search',
        params: { query: 'x', max_results: 3 },
      },
    ],
    [
      { function: 'web_search', arguments: { q: '${a.result}' } },
      { protocol: 'web-search/v1', method: 'search', params: { query: '${a.result}' } },
    ],
    [
      { type: 'function', parameters: { function: 'summarize', prompt: 'p' } },
      { protocol: 'llm/v1', method: 'generate', params: { prompt: 'p' } },
    ],
    [
      { function: 'summarize', params: { prompt: 'p', function: 'an argument' }, args: null },
      { protocol: 'llm/v1', method: 'generate', params: { prompt: 'p', function: 'an argument' } },
    ],
    [{ function: 'summarize' }, { protocol: 'llm/v1', method: 'generate', params: {} }],
  ])('%j is %j', (task, expected) => {
    expect(renewTask(task, functions)).toEqual(expected);
  });

  it.each<[JsonObject, string, string]>([
    [{ function: 'summarize', method: 'm' }, '/method', 'stands beside a function'],
    [{ function: 'summarize', protocol: 'p' }, '/protocol', 'stands beside a function'],
    [{ function: 'summarize', type: 'task' }, '/type', 'must be function, or be left out'],
    [{ function: 'summarize', args: {}, params: {} }, '/params', 'stands beside args and means the same'],
    [{ function: 'summarize', args: [1] }, '/args', 'must be an object, not array'],
    [{ function: 5 }, '/function', 'must be the name of a function'],
    [{ function: ' ' }, '/function', 'must be the name of a function'],
    [{ type: 'function' }, '/function', 'is missing'],
    [{ type: 'function', args: { function: null } }, '/args/function', 'must be the name of a function'],
  ])('%j is refused at %s', (task, field, reason) => {
    expect(refusal(() => renewTask(task, functions))).toMatchObject({ code: 'GLZ1001', field, reason });
  });

  it('is told of the nearest function, or how to map one', () => {
    const task = { function: 'web_serch' };
    expect(refusal(() => renewTask(task, functions))).toEqual({
      code: 'GLZ1004',
      field: '/function',
      reason: 'no function is called "web_serch"',
      hint: 'did you mean "web_search"?',
    });
    expect(refusal(() => renewTask(task, {})).hint).toContain('under functions in the configuration');
  });

  it('leaves everything else as it is', () => {
    const workflow = { tasks: [{ protocol: 'p', method: 'm' }, 5] };
    expect(renewWorkflow(workflow, functions)).toBe(workflow);
    expect(renewWorkflow(7, functions)).toBe(7);
    expect(renewWorkflow({ tasks: 'none' }, functions)).toEqual({ tasks: 'none' });
    expect(renewTask(null, functions)).toBeNull();
  });

  it('stands in a workflow beside others, and all that is wrong is told at once', () => {
    const other = { id: 'o', protocol: 'p/v1', method: 'm' };
    expect(
      renewWorkflow({ name: 'w', tasks: [other, { id: 's', function: 'summarize' }] }, functions),
    ).toEqual({
      name: 'w',
      tasks: [other, { id: 's', protocol: 'llm/v1', method: 'generate', params: {} }],
    });
    try {
      renewWorkflow({ tasks: [{ function: 'a' }, other, { function: 1 }] }, functions);
      expect.unreachable();
    } catch (thrown) {
      const { details } = GleitzeitError.from(thrown).details;
      expect(details).toMatchObject({
        problems: [{ field: '/tasks/0/function' }, { field: '/tasks/2/function' }],
      });
    }
  });
});
