import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { problemsOf } from '../problems.ts';
import {
  type Damage,
  goodWorkflow,
  HERE,
  here,
  layouts,
  type Task,
  type Workflow,
  written,
} from './damage.suite.ts';
import { readWorkflow } from './read.ts';
import { protocols } from './testing.suite.ts';

/** A task with something put into it. */
const task = (code: Damage['code'], kind: string, put: (task: Task) => JsonObject): Damage => ({
  kind,
  code,
  harm: (_, one) => void Object.assign(one, put(one)),
});

/** The same with one param changed. */
const param = (code: Damage['code'], kind: string, put: JsonObject): Damage =>
  task(code, kind, ({ params }) => ({ params: { ...(params as JsonObject), ...put } }));

const damages: readonly Damage[] = [
  {
    kind: 'an unknown key',
    code: 'GLZ1002',
    harm: (workflow) => void Object.assign(workflow, { [`${HERE}verson`]: 'x' }),
  },
  {
    kind: 'a name that is no text',
    code: 'GLZ1002',
    harm: (workflow) => void Object.assign(workflow, { name: here(7) }),
  },
  { kind: 'a task that is no mapping', code: 'GLZ1001', harm: ({ tasks }) => void tasks.push(here(true)) },
  { kind: 'an id that stands twice', code: 'GLZ1002', harm: ({ tasks }) => void tasks.push(twin('search')) },
  {
    kind: 'tasks in a circle',
    code: 'GLZ1002',
    harm: ({ tasks }) => {
      tasks.push({ ...called('one'), dependencies: ['two'] });
      tasks.push({ ...called('two'), dependencies: [`${HERE}one`] });
    },
  },
  {
    kind: 'tasks in a circle by reference',
    code: 'GLZ1002',
    harm: ({ tasks }) => {
      tasks.push({ ...called('one'), dependencies: ['two'] });
      tasks.push({ ...called('two'), params: { prompt: `see \${${HERE}one.result.text}` } });
    },
  },
  task('GLZ1001', 'an unknown key of a task', () => ({ [`${HERE}timout`]: 5 })),
  task('GLZ1001', 'an id with a dot', () => ({ id: `${HERE}a.b` })),
  task('GLZ1001', 'an id that is a number', () => ({ id: here(3) })),
  task('GLZ1001', 'a reserved id', () => ({ id: `${HERE}workflow` })),
  task('GLZ1001', 'an unknown priority', () => ({ priority: `${HERE}hihg` })),
  task('GLZ1001', 'a duration that is none', () => ({ timeout: `${HERE}3 days` })),
  task('GLZ1001', 'a negative duration', () => ({ timeout: here(-1) })),
  task('GLZ1001', 'what becomes of dependents', () => ({ on_failure: `${HERE}stop` })),
  task('GLZ1001', 'params that are a list', () => ({ params: here(['x']) })),
  task('GLZ1001', 'dependencies that are text', () => ({ dependencies: `${HERE}search` })),
  task('GLZ1001', 'a dependency that is a number', () => ({ dependencies: ['search', here(5)] })),
  task('GLZ1002', 'an unknown dependency', () => ({ dependencies: ['search', `${HERE}serach`] })),
  task('GLZ1002', 'itself as dependency', (one) => ({ needs: [HERE + String(one['id'])] })),
  task('GLZ1001', 'no attempts', () => ({ retry_config: { max_attempts: here(0) } })),
  task('GLZ1001', 'an unknown key of retries', () => ({ retry_config: { [`${HERE}max_attemps`]: 2 } })),
  task('GLZ1001', 'an unknown class', () => ({ retry_config: { retry_on: ['timeout', `${HERE}tiemout`] } })),
  task('GLZ1003', 'an unknown protocol', () => ({ protocol: `${HERE}llm/v9` })),
  task('GLZ1004', 'an unknown method', () => ({ method: `${HERE}genrate` })),
  param('GLZ1005', 'an unknown param', { [`${HERE}max_token`]: 3 }),
  param('GLZ1005', 'a param of another type', { prompt: here(5) }),
  param('GLZ1005', 'a param out of its range', { max_tokens: here(4097) }),
  param('GLZ1005', 'a param that is none of the words', { style: `${HERE}fanzy` }),
  param('GLZ1005', 'a text for a number', { max_tokens: `${HERE}\${search.result.total} tokens` }),
  param('GLZ1005', 'a result of another type', { max_tokens: `\${${HERE}search.result.results}` }),
  param('GLZ1006', 'an unknown task', { prompt: `a\n"b" \${${HERE}serach.result.total}` }),
  param('GLZ1006', 'an unknown field', { prompt: `it's \${search.result.${HERE}totl} ✓` }),
  param('GLZ1006', 'an unknown field further in', { prompt: `x \${search.result.results[0].${HERE}titel}` }),
  param('GLZ1006', 'a field of a number', { prompt: `\${search.result.total.${HERE}value}!` }),
  param('GLZ1006', 'a variable', { prompt: `home: \${${HERE}env.HOME}` }),
  param('GLZ1006', 'a reference that is not closed', { prompt: `see ${HERE}\${search.result.total` }),
  param('GLZ1006', 'a bracket that is not closed', { prompt: `see \${search.result[0${HERE}.x}` }),
  param('GLZ1006', 'an unknown task behind ??', {
    prompt: `x \${search.result.total ?? ${HERE}nobody.result}`,
  }),
];

function called(id: string): Task {
  return { id, protocol: 'llm/v1', method: 'generate', params: { prompt: 'x' } };
}

function twin(id: string): Task {
  return { ...called(''), id: `${HERE}${id}` };
}

function found(text: string): string[] {
  try {
    readWorkflow(text, { file: 'f', protocols });
    return [];
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems.length === 0) throw thrown;
    return problems.map(({ line, column, code }) => `${line}:${column} ${code}`);
  }
}

const patience = { timeout: 120_000 };

describe('a good file', patience, () => {
  it.each(layouts)('is read, written as $name', ({ write }) => {
    fc.assert(
      fc.property(goodWorkflow, (workflow) => {
        expect(found(write(workflow as Json))).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('damage is told at its place', patience, () => {
  it.each(damages)('$kind', ({ code, harm }) => {
    fc.assert(
      fc.property(goodWorkflow, fc.nat(), fc.constantFrom(...layouts), (workflow, pick, layout) => {
        const harmed = structuredClone(workflow) as Workflow;
        const writers = harmed.tasks.slice(1);
        harm(harmed, writers[pick % writers.length] as Task);
        const { text, line, column } = written(harmed as Json, layout);
        expect(found(text), text).toEqual([`${line}:${column} ${code}`]);
      }),
      { numRuns: 20 },
    );
  });
});

/** What is not there has no place: it is told where its mapping begins, or at the key that lacks something. */
describe('what is missing is told at what it is missing from', patience, () => {
  const without = (one: Task, gone: string, marked: string): Task =>
    Object.fromEntries(
      Object.entries(one).flatMap(([key, value]) =>
        key === gone ? [] : [[key === marked ? HERE + key : key, value]],
      ),
    );
  it.each([
    ['a method', 'GLZ1001', (one: Task) => without(one, 'method', 'id')],
    ['a protocol', 'GLZ1001', (one: Task) => without(one, 'protocol', 'id')],
    ['a name to be known by', 'GLZ1001', (one: Task) => without(one, 'id', 'protocol')],
    ['a param', 'GLZ1005', (one: Task) => without({ ...one, params: { style: 'plain' } }, '', 'params')],
  ] as const)('%s', (_, code, harm) => {
    fc.assert(
      fc.property(goodWorkflow, fc.nat(), fc.constantFrom(...layouts), (workflow, pick, layout) => {
        const harmed = structuredClone(workflow) as Workflow;
        const at = 1 + (pick % (harmed.tasks.length - 1));
        harmed.tasks[at] = harm(harmed.tasks[at] as Task);
        const { text, line, column } = written(harmed as Json, layout, code === 'GLZ1001');
        expect(found(text), text).toEqual([`${line}:${column} ${code}`]);
      }),
      { numRuns: 20 },
    );
  });
});

describe('what is no YAML', () => {
  it.each([
    ['a tab for indentation', 'name: x\ntasks:\n\t- id: a\n', 3, 1],
    ['a key twice', 'name: x\ntasks: []\nname: y\n', 3, 1],
    ['a quote that is not closed', 'name: "x\n', 1, 7],
    ['a bracket that is not closed', 'tasks: [{id: a}\n', 2, 1],
    ['two keys on a line', 'name: x: y\n', 1, 7],
    ['a second document', 'name: x\n---\nname: y\n', 2, 1],
    ['a tag', 'name: !!js/function x\n', 1, 7],
    ['a merge key', 'a: &a {b: 1}\n<<: *a\n', 2, 1],
    ['an alias without an anchor', 'name: *x\n', 1, 7],
    ['JSON cut off', '{"name": "x", "tasks": [', 1, 25],
  ])('%s', (_, text, line, column) => {
    expect(found(text)).toContain(`${line}:${column} GLZ1002`);
  });
});

describe('a sign taken out of a good file', patience, () => {
  const quoted = /"(?:[^"\\]|\\.)*"(?=[,:\s\]}]|$)/g;
  const places = (text: string, at: number) => {
    const before = text.slice(0, at);
    return `${before.split('\n').length}:${at - before.lastIndexOf('\n')} GLZ1002`;
  };
  const json = layouts.filter(({ name }) => name.startsWith('JSON'));

  it('a quote is told where it was opened', () => {
    fc.assert(
      fc.property(goodWorkflow, fc.nat(), fc.constantFrom(...json), (workflow, pick, { write }) => {
        const text = write(workflow as Json);
        const texts = [...text.matchAll(quoted)];
        const { 0: one, index } = texts[pick % texts.length] as RegExpExecArray;
        const end = index + one.length;
        const harmed = text.slice(0, end - 1) + text.slice(end);
        expect(found(harmed), harmed).toEqual([places(text, index)]);
      }),
      { numRuns: 200 },
    );
  });

  it('a comma is told where it stood', () => {
    fc.assert(
      fc.property(goodWorkflow, fc.nat(), fc.constantFrom(...json), (workflow, pick, { write }) => {
        const text = write(workflow as Json);
        const commas = [...text.matchAll(/"(?:[^"\\]|\\.)*"|,/g)].filter(({ 0: sign }) => sign === ',');
        const { index } = commas[pick % commas.length] as RegExpExecArray;
        const harmed = `${text.slice(0, index)} ${text.slice(index + 1)}`;
        expect(found(harmed), harmed).toEqual([places(text, index)]);
      }),
      { numRuns: 200 },
    );
  });
});
