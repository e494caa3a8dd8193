import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { inputOf, readValue } from './inputs.ts';

describe('inputOf', () => {
  it('is nothing where nothing was given, and the file where only that was', () => {
    expect(inputOf([])).toBeUndefined();
    expect(inputOf([], [1, 2])).toEqual([1, 2]);
  });

  it('takes JSON where it is JSON and text where it is not', () => {
    const pairs = ['n=3', 't=three', 'q="3"', 'l=[1,"a"]', 'b=true', 'z=null', 'e=', 'eq=a=b', 'half={"a":'];
    expect(inputOf(pairs)).toEqual({
      ...{ n: 3, t: 'three', q: '3', l: [1, 'a'], b: true, z: null, e: '', eq: 'a=b', half: '{"a":' },
    });
  });

  it('leads inside, and lays values over those of a file', () => {
    expect(inputOf(['a.b.c=1', 'a.d=2'])).toEqual({ a: { b: { c: 1 }, d: 2 } });
    expect(inputOf(['a.b=2', 'x=1'], { a: { b: 1, c: 3 } })).toEqual({ a: { b: 2, c: 3 }, x: 1 });
  });

  it('does not change a number on the way', () => {
    expect(readValue('12345678901234567890')).toBe('12345678901234567890');
    expect(readValue('1e999')).toBe('1e999');
    expect(readValue('1.5')).toBe(1.5);
  });

  it.each([['no-equals'], ['=1'], ['a..b=1'], ['.a=1'], ['a.=1']])('refuses %s', (pair) => {
    expect(() => inputOf([pair])).toThrow(GleitzeitError);
  });

  it('refuses to lead into a value, and to lay values over what is no object, without telling them', () => {
    expect(() => inputOf(['a=1', 'a.b=hush'])).toThrow(/leads into "a"/);
    expect(() => inputOf(['a=hush'], [1])).toThrow(/no object/);
    expect(() => inputOf(['a=1', 'a.b=hush'])).not.toThrow(/hush/);
  });

  it('refuses two values for one place', () => {
    expect(() => inputOf(['a.b=1', 'a=2'])).toThrow('--input a would replace a.b, which is given as well');
    expect(() => inputOf(['a=1', 'b=1', 'a=1'])).toThrow('--input a is given twice');
    expect(inputOf(['a={"x":1}', 'a.b=2', 'a.c=3', 'ab=4'])).toEqual({ a: { x: 1, b: 2, c: 3 }, ab: 4 });
    expect(inputOf(['a=2'], { a: { b: 1 } })).toEqual({ a: 2 });
  });

  it('refuses half a character, wherever it is', () => {
    for (const value of ['"\\ud800"', '["x\\udc00"]', '{"a":{"\\ud800":1}}'])
      expect(() => inputOf([`k=${value}`])).toThrow('--input k holds half a character');
    expect(inputOf(['k="\\ud83d\\ude00"'])).toEqual({ k: '😀' });
  });

  it('has members called like those of every object', () => {
    const input = inputOf(['__proto__.a=1', 'constructor=2']);
    expect(JSON.stringify(input)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it('gives back every JSON value that is written as JSON', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue(), (key, value) => {
        const text = JSON.stringify(value);
        const expected =
          typeof value === 'number' && !Number.isSafeInteger(value) && !/[.e]/i.test(text) ? text : value;
        const { [key]: found } = inputOf([`${key}=${text}`]) as Record<string, Json>;
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
      }),
    );
  });
});
