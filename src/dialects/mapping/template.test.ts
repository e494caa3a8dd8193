import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { Remembered } from '../remembered.ts';
import { pathOf, pointer, withValue } from './pointer.ts';
import { type Scope, template } from './template.ts';

const told = new Remembered();
const open = (name: string) => `value-of-${name}`;
const parts = { heads: ['params', 'call'], secrets: { open, told } };

const fill = (value: Json, scope: Scope = {}) => template(value, '/at', parts).fill(scope);

describe('a template', () => {
  it.each<[Json, Scope, Json | undefined]>([
    ['plain', {}, 'plain'],
    [3, {}, 3],
    ['${params.a}', { params: { a: [1, { b: 2 }] } }, [1, { b: 2 }]],
    ['${params}', { params: { a: 1 } }, { a: 1 }],
    ['${params.a.b[0]["c d"]}', { params: { a: { b: [{ 'c d': null }] } } }, null],
    ['${params.none}', { params: {} }, undefined],
    ['${call.id}', {}, undefined],
    ['${params.none ?? params.a}', { params: { a: 2 } }, 2],
    ['${params.none ?? "x"}', { params: { none: null } }, 'x'],
    ['${params.none ?? null}', { params: {} }, null],
    ['a ${params.a} and ${params.b}', { params: { a: 'x', b: { c: [1] } } }, 'a x and {"c":[1]}'],
    ['$${params.a}', {}, '${params.a}'],
    ['${secrets.key}', {}, 'value-of-key'],
    ['Bearer ${secrets.key}', {}, 'Bearer value-of-key'],
    [
      { a: '${params.a}', b: { c: '${params.gone}' }, d: ['${params.gone}'] },
      { params: { a: 1 } },
      { a: 1, b: {}, d: [null] },
    ],
    [{ a: [1, { b: 'x' }] }, {}, { a: [1, { b: 'x' }] }],
  ])('%j over %j', (value, scope, expected) => {
    expect(fill(value, scope)).toEqual(expected);
  });

  it('remembers the secrets it filled in', () => {
    fill('${secrets.other}');
    expect(told.values()).toContain('value-of-other');
  });

  it('never fills in what was filled in, nor reaches a prototype', () => {
    expect(fill('${params.a}', { params: { a: '${secrets.key}' } })).toBe('${secrets.key}');
    for (const key of ['__proto__', 'constructor', 'toString', 'length'])
      expect(fill(`\${params["${key}"]}`, { params: {} })).toBeUndefined();
    const made = fill(JSON.parse('{"__proto__": "${params.a}", "b": 1}'), { params: { a: { evil: true } } });
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe('{"__proto__":{"evil":true},"b":1}');
  });

  it('says where it could not be filled in', () => {
    expect(() => fill('/users/${params.id}', { params: {} })).toThrow('/at: there is nothing to fill in for');
  });

  it.each([
    ['${parms.a}', 'nothing is called "parms" here'],
    ['${env.A}', 'nothing is called "env" here'],
    ['${params.a', 'never closed'],
    ['${}', 'the name of a task is missing'],
    ['${secrets}', 'called by its name alone'],
    ['${secrets.a.b}', 'called by its name alone'],
  ])('is refused when it is read: %s', (text, words) => {
    expect(() => fill(text)).toThrow(words);
    expect(() => fill({ deep: [text] })).toThrow('/at/deep/0');
  });

  it('has no secrets where there may be none', () => {
    const secretless = { heads: ['params'], secrets: null };
    expect(() => template('${secrets.a}', '/at', secretless)).toThrow('nothing is called "secrets" here');
  });

  it('leaves any JSON without references as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('${'));
        expect(fill(value as Json)).toEqual(value);
      }),
    );
  });
});

describe('a pointer', () => {
  it('finds what it names and nothing else', () => {
    const value = { a: { 'b/c': [10, { '~': null }] }, '': 1 };
    const at = (text: string) => pointer(text, '')(value);
    expect([at(''), at('/a/b~1c/0'), at('/a/b~1c/1/~0'), at('/')]).toEqual([value, 10, null, 1]);
    for (const text of ['/x', '/a/b~1c/2', '/a/b~1c/01', '/a/b~1c/length', '/__proto__', '/a/b~1c/-'])
      expect(at(text)).toBeUndefined();
    expect(() => pointer('a', '/at')).toThrow('/at: "a" is no JSON pointer');
  });

  it('puts a value where it names', () => {
    const put = (value: Json, text: string) => withValue(value, pathOf(text, ''), 'x');
    expect(put({ a: { b: 1, c: 2 } }, '/a/b')).toEqual({ a: { b: 'x', c: 2 } });
    expect(put({}, '/a/b')).toEqual({ a: { b: 'x' } });
    expect(put([1, [2]], '/1/0')).toEqual([1, ['x']]);
    expect(put({ a: 1 }, '')).toBe('x');
    expect(put(null, '/a')).toEqual({ a: 'x' });
    expect(JSON.stringify(put({}, '/__proto__'))).toBe('{"__proto__":"x"}');
  });

  it('finds what was put', () => {
    const values = fc.dictionary(fc.string(), fc.integer());
    fc.assert(
      fc.property(values, fc.array(fc.string(), { maxLength: 4 }), (value, path) => {
        const text = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        expect(pointer(text, '')(withValue(value, path, 'put'))).toBe('put');
      }),
    );
  });
});
