import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTask, parseWorkflow } from './definition.ts';
import { defaultRetry } from './retry.ts';
import { showCall } from './task-call.ts';
import { thrownBy } from './thrown.suite.ts';

const problem = (task: unknown) => thrownBy(() => parseTask(task)).details;

describe('a task for an agent', () => {
  it('calls the protocol of agents, and leaves to the agent what it does not say', () => {
    expect(parseTask({ agent: 'My Agent', input: { query: 'async' } })).toStrictEqual({
      id: 'My Agent',
      name: 'My Agent',
      protocol: 'agent/v1',
      method: 'send',
      params: { query: 'async' },
      dependencies: [],
      references: [],
      uses_input: false,
      priority: 'normal',
      retry_config: defaultRetry,
      timeout: 30,
      total_timeout: null,
      on_failure: 'skip',
      agent: 'My Agent',
      left_to_agent: ['retry_config', 'timeout'],
    });
    const said = { agent: 'A', id: 'x', timeout: 5, retry_config: {} };
    expect(parseTask(said)).toMatchObject({ id: 'x', timeout: 5, left_to_agent: [], params: {} });
    expect(parseTask({ agent: 'A', timeout: 5 })).toMatchObject({ left_to_agent: ['retry_config'] });
  });

  it('may call its input params, and be told in words alone', () => {
    expect(parseTask({ agent: 'A', params: { text: 'Hi' } }).params).toEqual({ text: 'Hi' });
    expect(parseTask({ agent: 'A', input: 'Hi' }).params).toEqual({ text: 'Hi' });
    const both = { agent: 'A', protocol: 'agent/v1', method: 'send', input: 'Hi' };
    expect(parseTask(both)).toMatchObject({ agent: 'A', params: { text: 'Hi' } });
  });

  it('refers to results and to the input of its run from there', () => {
    const { tasks } = parseWorkflow({
      tasks: [
        { id: 'a', agent: 'A', input: '${workflow.input.topic}' },
        { id: 'b', agent: 'B', input: { text: 'Short: ${a.result.text}' } },
      ],
    });
    expect(tasks).toMatchObject([
      { id: 'a', uses_input: true, params: { text: '${workflow.input.topic}' } },
      { id: 'b', dependencies: ['a'], references: ['a'] },
    ]);
    const lost = thrownBy(() => parseWorkflow({ tasks: [{ id: 'a', agent: 'A', input: '${b.result}' }] }));
    expect(lost.details).toMatchObject({ field: '/tasks/0/input/text' });
  });

  it.each([
    [{ agent: 5 }, '/agent', 'must be text'],
    [{ agent: null }, '/agent', 'must be text'],
    [{ agent: '' }, '/agent', 'must not be empty'],
    [{ agent: ' A' }, '/agent', 'must not begin'],
    [{ agent: 'A', protocol: 'llm/v1' }, '/protocol', 'stands beside agent'],
    [{ agent: 'A', method: 'chat' }, '/method', 'stands beside agent'],
    [{ agent: 'A', input: {}, params: {} }, '/input', 'stands beside params'],
    [{ agent: 'A', input: 5 }, '/input', 'must be an object'],
    [{ agent: 'A', input: null }, '/input', 'must be an object'],
    [{ agent: 'A', params: 'Hi' }, '/params', 'must be an object'],
    [{ agent: 'A', input: { a: () => 1 } }, '/input/a', ''],
    [{ protocol: 'agent/v1', method: 'send' }, '/agent', 'is missing'],
    [{ protocol: 'llm/v1', method: 'chat', input: {} }, '/input', 'is for tasks that name an agent'],
  ])('is refused where it says %j', (task, field, reason) => {
    expect(problem(task)).toMatchObject({ field, reason: expect.stringContaining(reason) });
  });

  it('is shown by the name of its agent', () => {
    expect(showCall(parseTask({ agent: 'A b' }))).toBe('agent A b');
    expect(showCall({ protocol: 'p/v1', method: 'm', agent: null })).toBe('p/v1 m');
    expect(showCall(parseTask({ protocol: 'p/v1', method: 'm' }))).toBe('p/v1 m');
  });

  it('keeps whatever name it was given', () => {
    expect(parseTask({ agent: '__proto__' }).agent).toBe('__proto__');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (given) => {
        const agent = given.trim();
        fc.pre(agent !== '' && !/\p{Cc}/u.test(agent));
        expect(parseTask({ agent }).agent).toBe(agent);
      }),
    );
  });
});
