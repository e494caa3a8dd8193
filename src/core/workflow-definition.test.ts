import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWorkflow } from './definition.ts';
import { MAX_TASKS_PER_RUN } from './limits.ts';
import { thrownBy } from './thrown.suite.ts';

const call = { protocol: 'p/v1', method: 'm' };
const task = (id: string, extra: object = {}) => ({ id, ...call, ...extra });
const refusal = (workflow: unknown) => thrownBy(() => parseWorkflow(workflow));
const ofTasks = (...tasks: unknown[]) => refusal({ tasks });
const problems = (workflow: unknown) =>
  (refusal(workflow).details.details as { problems: { field: string; reason: string; hint?: string }[] })
    .problems;

describe('a workflow', () => {
  it('is read as the design shows it', () => {
    const workflow = parseWorkflow({
      workflow_id: 'search-and-process',
      name: 'Research Python tutorials',
      version: '2',
      tasks: [
        {
          id: 'search-task',
          protocol: 'web-search/v1',
          method: 'search',
          params: { query: '${workflow.input.q}' },
        },
        {
          id: 'summarize-task',
          protocol: 'llm/v1',
          method: 'generate',
          params: { prompt: 'Summarize: ${search-task.result.results}', max_tokens: 200 },
          dependencies: ['search-task'],
        },
      ],
    });
    expect(workflow).toMatchObject({
      workflow_id: 'search-and-process',
      name: 'Research Python tutorials',
      version: '2',
    });
    expect(workflow.tasks).toMatchObject([
      { id: 'search-task', name: 'search-task', dependencies: [], references: [], uses_input: true },
      { id: 'summarize-task', dependencies: ['search-task'], references: ['search-task'], uses_input: false },
    ]);
  });

  it('gets its defaults', () => {
    expect(parseWorkflow({ tasks: [task('a')] })).toMatchObject({
      workflow_id: null,
      name: 'workflow',
      version: null,
    });
    expect(parseWorkflow({ workflow_id: 'w', tasks: [task('a')] })).toMatchObject({
      workflow_id: 'w',
      name: 'w',
    });
    const nothing = { workflow_id: null, version: null, name: 'n', tasks: [task('a')] };
    expect(parseWorkflow(nothing)).toMatchObject({ workflow_id: null, name: 'n', version: null });
  });

  it('joins what is listed, what is needed and what is read', () => {
    const { tasks } = parseWorkflow({
      tasks: [
        task('a'),
        task('b'),
        { name: 'Echo Task', ...call },
        task('d', {
          needs: ['b', 'b'],
          dependencies: ['a'],
          params: { x: '${Echo Task.result} ${a.result.y ?? b.result}', z: ['${a.result}'] },
        }),
      ],
    });
    expect(tasks[3]).toMatchObject({
      dependencies: ['a', 'b', 'Echo Task'],
      references: ['Echo Task', 'a', 'b'],
    });
    expect(tasks[2]).toMatchObject({ id: 'Echo Task', name: 'Echo Task', dependencies: [] });
  });

  it('joins many links too', () => {
    const ids = Array.from({ length: 12 }, (_, i) => `t${i}`);
    const last = task('last', {
      dependencies: [...ids, ...ids],
      params: { x: ids.map((id) => `\${${id}.result}`) },
    });
    const { tasks } = parseWorkflow({ tasks: [...ids.map((id) => task(id)), last] });
    expect(tasks[12]).toMatchObject({ dependencies: ids, references: ids });
  });

  it.each([
    [null, '', 'must be an object, not null'],
    [[], '', 'must be an object, not array'],
    [{}, '/tasks', 'is missing'],
    [{ tasks: {} }, '/tasks', 'must be a list, not object'],
    [{ tasks: [] }, '/tasks', 'must hold at least one task'],
    [{ tasks: [task('a')], steps: 1 }, '/steps', 'unknown key "steps"'],
    [{ tasks: [task('a')], version: 1 }, '/version', 'must be text, not number'],
    [{ tasks: [task('a')], workflow_id: '' }, '/workflow_id', 'must not be empty'],
    [{ tasks: [task('a')], name: null }, '/name', 'must be text, not null'],
    [{ tasks: ['a'] }, '/tasks/0', 'must be an object, not string'],
    [{ tasks: [call] }, '/tasks/0/id', 'is missing'],
    [{ tasks: [task('a'), task('b', { param: 1 })] }, '/tasks/1/param', 'unknown key "param"'],
    [{ tasks: [task('env')] }, '/tasks/0/id', '"env" cannot be a task\'s id'],
    [{ tasks: [{ name: 'workflow', ...call }] }, '/tasks/0/id', '"workflow" cannot be a task\'s id'],
    [{ tasks: [task('a'), task('b'), task('a')] }, '/tasks/2/id', '"a" is already the id of /tasks/0'],
    [
      { tasks: [task('a', { dependencies: ['a'] })] },
      '/tasks/0/dependencies/0',
      '"a" cannot wait for its own result',
    ],
    [
      { tasks: [task('a', { params: { x: '${a.result}' } })] },
      '/tasks/0/params/x',
      '"a" cannot wait for its own result',
    ],
    [
      { tasks: [task('ab', { needs: ['zz'] })] },
      '/tasks/0/needs/0',
      'there is no task "zz" in this workflow',
    ],
    [
      { tasks: [task('a', { params: { x: ['${b.result}'] } })] },
      '/tasks/0/params/x/0',
      'there is no task "b" in this workflow',
    ],
  ])('%j is refused', (workflow, field, reason) => {
    const error = refusal(workflow);
    expect(error.code).toBe('GLZ1002');
    expect(error.details).toMatchObject({ field, reason });
    expect(problems(workflow)).toHaveLength(1);
  });

  it('has hints', () => {
    const tasks = [task('search'), task('sum', { dependencies: ['serach'] })];
    expect(refusal({ tasks }).details.hint).toBe('did you mean "search"?');
    expect(ofTasks(task('ab', { needs: ['zzz'] })).details.hint).toBe('tasks: ab');
    expect(ofTasks(call).details.hint).toBe('inside a workflow a task needs an id or a name');
    expect(ofTasks(task('input')).details.hint).toBe('reserved are: workflow, secrets, params, env, input');
    expect(refusal({ tasks: [task('a')], nmae: 'x' }).details.hint).toBe('did you mean "name"?');
  });

  it('has the code of a malformed reference where that comes first', () => {
    expect(ofTasks(task('a', { params: { x: '${' } }))).toMatchObject({
      code: 'GLZ1006',
      details: { field: '/tasks/0/params/x' },
    });
  });

  it('shows a circle', () => {
    const error = ofTasks(task('a', { dependencies: ['b'] }), task('b', { params: { x: '${a.result}' } }));
    expect(error).toMatchObject({
      code: 'GLZ1002',
      message: '/tasks: tasks wait for each other in a circle: a → b → a',
    });
    expect(error.details.hint).toBe('remove one of the dependencies');
  });

  it('shows part of a long circle', () => {
    const ring = (n: number) =>
      Array.from({ length: n }, (_, i) => task(`t${i}`, { needs: [`t${(i + 1) % n}`] }));
    expect(ofTasks(...ring(11)).message).toContain('t9 → t10 → t0');
    expect(ofTasks(...ring(12)).message).toContain(
      ': t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → t8 → t9 → t10 → (1 more) → t0',
    );
  });

  it('tells everything that is wrong at once, up to twenty', () => {
    const workflow = {
      nam: 'x',
      tasks: [
        task('a', { needs: ['b', 'zz'] }),
        task('b', { needs: ['a'], timeout: 0 }),
        7,
        { method: 'm', id: 'c' },
        task('c'),
      ],
    };
    expect(problems(workflow).map(({ field }) => field)).toEqual([
      '/nam',
      '/tasks/1/timeout',
      '/tasks/2',
      '/tasks/3/protocol',
      '/tasks/4/id',
      '/tasks/0/needs/1',
      '/tasks',
    ]);
    const wrong = Array.from({ length: 50 }, (_, i) => task(`t${i}`, { timeout: 0 }));
    expect(problems({ tasks: wrong }).map(({ field }) => field)).toEqual(
      Array.from({ length: 20 }, (_, i) => `/tasks/${i}/timeout`),
    );
    const lost = Array.from({ length: 50 }, (_, i) => task(`t${i}`, { needs: ['gone', 'away'] }));
    expect(problems({ tasks: lost })).toHaveLength(20);
  });

  it('holds as many tasks as fit into a run', () => {
    const many = Array.from({ length: MAX_TASKS_PER_RUN + 1 }, () => 0);
    expect(problems({ tasks: many })).toEqual([
      { field: '/tasks', reason: 'holds 100001 tasks, and at most 100000 fit into one run' },
    ]);
    expect(problems({ tasks: many.slice(1) })[0]).toMatchObject({ field: '/tasks/0' });
  });

  it('is read in one pass, however long its chain', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      task(`t${i}`, i === 0 ? {} : { params: { x: `\${t${i - 1}.result}` }, needs: [`t${i - 1}`] }),
    );
    expect(parseWorkflow({ tasks: chain }).tasks).toHaveLength(10_000);
    expect(parseWorkflow({ tasks: chain.slice(0, 1_000).toReversed() }).tasks).toHaveLength(1_000);
  });

  it('of any order is accepted when everything it waits for is there', () => {
    const lists = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lists, (drawn) => {
        const tasks = drawn.map((list, i) => {
          const before = i === 0 ? [] : list.map((n) => `t${n % i}`);
          return task(`t${i}`, {
            needs: before.slice(1),
            params: { x: before.slice(0, 1).map((id) => `\${${id}.result}`) },
          });
        });
        const read = parseWorkflow({ tasks });
        for (const [i, { dependencies, references }] of read.tasks.entries()) {
          expect(new Set(dependencies).size).toBe(dependencies.length);
          expect(dependencies.every((id) => Number(id.slice(1)) < i)).toBe(true);
          expect(references.every((id) => dependencies.includes(id))).toBe(true);
        }
      }),
    );
  });
});
