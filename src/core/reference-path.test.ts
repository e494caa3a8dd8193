import { describe, expect, it } from 'vitest';
import type { Json } from './json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from './limits.ts';
import { fillReferences } from './references.ts';
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

describe('a path that is not there', () => {
  it.each([
    ['${a.result.list[2]}', 'there is no [2] in ${a.result.list}, which is an array of 2'],
    ['${a.result.list.length}', 'there is no .length in ${a.result.list}, which is an array of 2'],
    ['${a.result.list.01}', 'there is no .01 in ${a.result.list}, which is an array of 2'],
    ['${a.result.text.length}', 'there is no .length in ${a.result.text}, which is a string'],
    ['${a.result.text[0]}', 'there is no [0] in ${a.result.text}, which is a string'],
    ['${a.result.n.x}', 'there is no .x in ${a.result.n}, which is a number'],
    ['${a.result.nil.x}', 'there is no .x in ${a.result.nil}, which is null'],
    ['${a.result.list.constructor}', 'there is no .constructor in ${a.result.list}, which is an array of 2'],
    ['${workflow.input.deep.y.z}', 'there is no .y in ${workflow.input.deep}, which is an object with "x"'],
    [
      '${workflow.input["a b"]}',
      'there is no ["a b"] in ${workflow.input}, which is an object with "q", "deep"',
    ],
  ])('%s says what was there', (text, reason) => {
    const error = failure({ k: text });
    expect(error.code).toBe('GLZ2006');
    expect(error.details.field).toBe('/params/k');
    expect(error.details.reason).toBe(`${text}: ${reason}`);
    expect(error.message).toBe(`/params/k: ${text}: ${reason}`);
    expect(error.details.hint).toBe('where it may be missing, give a default: ${… ?? null}');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'does not reach the inherited %s',
    (key) => {
      expect(failure(`\${a.result.${key}}`).code).toBe('GLZ2006');
      expect(failure(`\${workflow.input["${key}"]}`).code).toBe('GLZ2006');
    },
  );

  it('names the nearest key', () => {
    expect(failure('${a.result.txt}').details.hint).toBe('did you mean "text"?');
    expect(failure('${workflow.input.deap}').details.hint).toBe('did you mean "deep"?');
  });

  it('speaks of the result where there is none', () => {
    const error = failure('${gone.result.x}');
    expect(error.details.reason).toBe('${gone.result.x}: the task has no result');
    expect(thrownBy(() => fillReferences('${gone.result}', scope)).message).toBe(
      '${gone.result}: the task has no result',
    );
  });

  it('speaks of the last alternative', () => {
    expect(failure('${gone.result ?? a.result.what}').details.reason).toContain('there is no .what in');
    expect(failure('${a.result.nil ?? gone.result}').details.reason).toContain('the task has no result');
  });

  it('shows a bounded part of what was there', () => {
    const wide = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`key-${i}-${'x'.repeat(50)}`, i]));
    const of = (value: Json, text: string) =>
      thrownBy(() => fillReferences(text, { task: () => value, input: null }));
    const { reason } = of(wide, '${a.result.zzz}').details;
    expect(reason).toContain(`"key-0-${'x'.repeat(34)}…", "key-1`);
    expect(reason).toContain('"key-9-');
    expect(reason).not.toContain('"key-10-');
    expect(reason).toMatch(/, and 2 more$/);
    expect(
      of({ ...wide, [`key-${'x'.repeat(50)}`]: 1 }, `\${a.result.key-${'x'.repeat(49)}}`).details.hint,
    ).toBe(`did you mean "key-${'x'.repeat(36)}…"?`);
    expect(of({}, '${a.result.x}').details.reason).toContain('which is an empty object');
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`k${i}`, i]));
    expect(of(ten, '${a.result.zzz}').details.reason).toMatch(/"k9"$/);
    expect(of({}, `\${a.result${'.k'.repeat(25)}}`).details.reason).toContain(
      `\${a.result${'.k'.repeat(24)}…}`,
    );
    expect(of({}, `\${a.result${'.k'.repeat(24)}}`).details.reason).toContain(
      `\${a.result${'.k'.repeat(24)}}`,
    );
    expect(of({}, '${"a.b".result.x}').details.reason).toContain('${"a.b".result.x}');
  });
});

describe('the size of what is filled in', () => {
  const with_ = (value: Json) => ({ task: () => value, input: null });

  it('is bounded in text', () => {
    const tenth = 'x'.repeat(MAX_PAYLOAD / 8);
    const texts = (n: number) => Array(n).fill(' ${a.result}'.repeat(1)) as string[];
    expect(() => fillReferences(texts(7), with_(tenth))).not.toThrow();
    const error = thrownBy(() => fillReferences(texts(8), with_(tenth), '/params'));
    expect(error.code).toBe('GLZ1007');
    expect(error.details.field).toBe('/params/7');
    expect(error.message).toBe(
      `/params/7: once filled in, it has more than ${MAX_PAYLOAD} characters of JSON`,
    );
    expect(error.details.hint).toBe('refer to the part of the result that is needed');
    expect(thrownBy(() => fillReferences(' ${a.result}'.repeat(9), with_(tenth))).message).toMatch(
      /^params: once filled/,
    );
    expect(fillReferences('${a.result}'.repeat(8), with_(tenth))).toHaveLength(MAX_PAYLOAD);
  });

  it('is bounded in values', () => {
    const eighth = 'x'.repeat(MAX_PAYLOAD / 8);
    const whole = (n: number) => Array(n).fill('${a.result}') as string[];
    expect(() => fillReferences(whole(8), with_(eighth))).not.toThrow();
    expect(thrownBy(() => fillReferences(whole(9), with_(eighth))).code).toBe('GLZ1007');
    expect(() => fillReferences(whole(7), with_([eighth, eighth.slice(8)]))).toThrow(/more than/);
    expect(() => fillReferences(whole(9), with_({ [eighth]: 1 }))).toThrow(/more than/);
    const almost = 'x'.repeat(MAX_PAYLOAD - 3);
    expect(() => fillReferences('${a.result}', with_([almost, null, 1]))).not.toThrow();
    expect(() => fillReferences('${a.result}', with_([almost, null, 1, true]))).toThrow(/more than/);
    expect(() => fillReferences('${a.result}', with_({ [almost.slice(1)]: [null, 1] }))).not.toThrow();
    expect(() => fillReferences('${a.result}', with_({ [almost]: [null, 1] }))).toThrow(/more than/);
  });

  it('is bounded in depth', () => {
    let deep: Json = 1;
    for (let i = 0; i < MAX_JSON_DEPTH - 1; i++) deep = i % 2 === 0 ? [deep] : { k: deep };
    expect(() => fillReferences({ x: '${a.result}' }, with_(deep))).not.toThrow();
    const error = thrownBy(() => fillReferences({ x: { y: '${a.result}' } }, with_(deep), '/params'));
    expect(error.code).toBe('GLZ1007');
    expect(error.message).toBe(`/params/x/y: filled in, this is nested deeper than ${MAX_JSON_DEPTH} levels`);
    expect(error.details.field).toBe('/params/x/y');
    expect(error.details.hint).toBe('refer to the part of the result that is needed');
    const over = thrownBy(() => fillReferences('${a.result}', with_([[deep]])));
    expect(over.message).toMatch(/^params: filled in, this is nested/);
  });
});
