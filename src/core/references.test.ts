import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from './json.ts';
import { fillReferences, findReferences, hasReferences, reservedIds } from './references.ts';
import { thrownBy } from './thrown.suite.ts';

const results: Record<string, Json> = {
  a: {
    n: 3,
    text: 'hi',
    nil: null,
    no: false,
    zero: 0,
    empty: '',
    list: [{ name: 'x' }, 'y'],
    'odd key': 'odd',
    sly: '${a.result.n} $${',
    '0': 'key zero',
  },
  'Echo Task': 'echo',
  'odd.id': 1,
  nothing: null,
  own: JSON.parse('{"__proto__": "mine", "constructor": "mine too"}'),
};
const scope = {
  task: (id: string) => (Object.hasOwn(results, id) ? results[id] : undefined),
  input: { q: 'query', deep: { x: [1] } },
};
const fill = (value: Json) => fillReferences(value, scope, '/params');
const failure = (value: Json) => thrownBy(() => fill(value));

describe('filling references', () => {
  it.each<[string, Json]>([
    ['${a.result.n}', 3],
    ['${a.output.n}', 3],
    ['${a.result.list}', [{ name: 'x' }, 'y']],
    ['${a.result.list[0].name}', 'x'],
    ['${a.result.list.1}', 'y'],
    ['${a.result["odd key"]}', 'odd'],
    ['${a.result[0]}', 'key zero'],
    ['${a.result.no}', false],
    ['${a.result.nil}', null],
    ['${Echo Task.result}', 'echo'],
    ['${"odd.id".result}', 1],
    ['${nothing.result}', null],
    ['${workflow.input.q}', 'query'],
    ['${workflow.input}', scope.input],
    ['${workflow["input"].deep.x[0]}', 1],
    ['${own.result.__proto__}', 'mine'],
    ['${own.result.constructor}', 'mine too'],
  ])('%s keeps its type', (text, value) => {
    expect(fill(text)).toEqual(value);
  });

  it.each([
    ['n=${a.result.n}', 'n=3'],
    [' ${a.result.n}', ' 3'],
    ['${a.result.n}${a.result.n}', '33'],
    ['${a.result.text}, ${a.result.no}, ${a.result.nil}', 'hi, false, null'],
    ['${a.result.list} ', '[{"name":"x"},"y"] '],
    ['"${a.result.text}"', '"hi"'],
    ['$${a.result.n} is ${a.result.n}', '${a.result.n} is 3'],
    ['$${', '${'],
  ])('%s is rendered in text', (text, expected) => {
    expect(fill(text)).toBe(expected);
  });

  it.each<[string, Json]>([
    ['${a.result.gone ?? 5}', 5],
    ['${a.result.nil ?? 5}', 5],
    ['${gone.result ?? 5}', 5],
    ['${gone.result.x.y ?? "none"}', 'none'],
    ['${gone.result ?? a.result.gone ?? a.result.n ?? 5}', 3],
    ['${a.result.no ?? 5}', false],
    ['${a.result.zero ?? 5}', 0],
    ['${a.result.empty ?? 5}', ''],
    ['${a.result.gone ?? null}', null],
    ['${a.result.gone ?? a.result.nil}', null],
    ['${a.result.nil ?? nothing.result}', null],
    ['${workflow.input.gone ?? {"a": [1]}}', { a: [1] }],
    ['x${a.result.gone ?? "y"}z', 'xyz'],
  ])('%s goes on where a value is missing or null', (text, value) => {
    expect(fill(text)).toEqual(value);
  });

  it('goes through objects and lists and leaves keys alone', () => {
    const value = { '${a.result.n}': ['${a.result.n}', { k: '${a.result.text}!' }, 'plain', 1, null, true] };
    expect(fill(value)).toEqual({ '${a.result.n}': [3, { k: 'hi!' }, 'plain', 1, null, true] });
    expect(value['${a.result.n}']?.[0]).toBe('${a.result.n}');
  });

  it('never scans again what it filled in', () => {
    expect(fill('${a.result.sly}')).toBe('${a.result.n} $${');
    expect(fill('<${a.result.sly}>')).toBe('<${a.result.n} $${>');
  });

  it('hands back what holds no reference', () => {
    const value = { a: [1, 'x', { b: null }] };
    expect(fill(value)).toBe(value);
  });

  it('defines keys, whatever they are called', () => {
    const filled = fill(JSON.parse('{"__proto__": {"x": "${a.result.n}"}}'));
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"x":3}}');
  });
});

describe('the meaning of a reference', () => {
  it.each([
    [
      '${a}',
      '"result" must follow the task\'s id "a"',
      "write ${a.result} for the task's result, or $${ where you mean a literal ${",
    ],
    ['${a.n[0]}', '"result" must follow the task\'s id "a"', "write ${a.result.n[0]} for the task's result"],
    ['${"a.b".n}', '"result" must follow the task\'s id "a.b"', 'write ${"a.b".result.n} for'],
    ['${params.q}', '"params" is no task', '${params.…} belongs into the configuration of a provider'],
    ['${secrets.key}', '"secrets" is no task', '${secrets.…} belongs into the configuration of a provider'],
    ['${env.HOME}', '"env" is no task', '${env.…} belongs into the configuration of a provider'],
    ['${input.q}', '"input" is no task', 'write ${workflow.input.q}'],
    ['${workflow.name}', 'of the workflow only the input can be read', 'write ${workflow.input.key}'],
    ['${workflow}', 'of the workflow only the input can be read', 'write ${workflow.input.key}'],
  ])('%s has none', (text, reason, hint) => {
    const error = thrownBy(() => findReferences(['ok', `>> ${text}`], '/params'));
    expect(error.code).toBe('GLZ1006');
    expect(error.details.field).toBe('/params/1');
    expect(error.details.reason).toBe(`${reason}, at character 6`);
    expect(error.message).toBe(`/params/1: ${reason}, at character 6`);
    expect(error.details.hint).toContain(hint);
    expect(error.details.details).toMatchObject({ position: 6 });
    expect(failure(text).code).toBe('GLZ1006');
    expect(thrownBy(() => findReferences(text)).message).toMatch(/^reference: /);
  });

  it('reserves the words that name something else', () => {
    expect(reservedIds).toEqual(['workflow', 'secrets', 'params', 'env', 'input']);
  });
});

describe('finding references', () => {
  const task = (id: string) => ({ kind: 'task', id });

  it('lists each once, with where it stands first', () => {
    const value = {
      prompt: 'Sum: ${a.result.x} and ${b.result}',
      more: ['${a.result.x}', { 'k/y': '${a.result.y ?? c.result[0] ?? 5}' }],
      input: '${workflow.input.q} ${workflow.input}',
      none: '$${z.result}',
      n: 1,
      nil: null,
    };
    expect(findReferences(value)).toEqual([
      { source: task('a'), path: ['x'], at: '/prompt' },
      { source: task('b'), path: [], at: '/prompt' },
      { source: task('a'), path: ['y'], at: '/more/1/k~1y' },
      { source: task('c'), path: [0], at: '/more/1/k~1y' },
      { source: { kind: 'input' }, path: ['q'], at: '/input' },
      { source: { kind: 'input' }, path: [], at: '/input' },
    ]);
  });

  it('tells a key from an index, and starts where it is told', () => {
    expect(findReferences(['${a.result["0"]}${a.result[0]}'], '/p')).toEqual([
      { source: task('a'), path: ['0'], at: '/p/0' },
      { source: task('a'), path: [0], at: '/p/0' },
    ]);
    expect(findReferences('${a.result}')).toEqual([{ source: task('a'), path: [], at: '' }]);
    expect(findReferences({ a: [1, 'x'] })).toEqual([]);
  });

  it.each<[Json, boolean]>([
    ['x', false],
    ['${a.result}', true],
    ['$${', true],
    [{ '${a.result}': 1 }, false],
    [{ a: [null, { b: 'x ${' }] }, true],
    [[1, [false], {}], false],
    [null, false],
    [3, false],
  ])('tells whether %j has any', (value, expected) => {
    expect(hasReferences(value)).toBe(expected);
  });
});

describe('any value', () => {
  it('without ${ stays what it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('${'));
        expect(fill(value as Json)).toBe(value);
        expect(findReferences(value as Json)).toEqual([]);
      }),
    );
  });

  it('arrives unchanged through a reference, wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        const held = { task: () => ({ [key]: value as Json }), input: [value as Json] };
        const path = `[${JSON.stringify(key)}]`;
        fc.pre(key !== '__proto__');
        const filled = fillReferences({ x: [`\${t.result${path}}`], y: '${workflow.input[0]}' }, held);
        expect(filled).toEqual({ x: [value], y: value });
      }),
    );
  });

  it('is rendered as text would be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        expect(fillReferences('<${t.result}>', { task: () => value as Json, input: null })).toBe(`<${text}>`);
      }),
    );
  });
});
