import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, MAX_KEYS, MAX_PARTS, measure, opensArray, TOO_DEEP, TOO_MANY, textOf } from './guard.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const keys = (count: number) => `{${Array(count).fill('"":0').join(',')}}`;

describe('the guard', () => {
  it('finds the depth that parsing would find, whatever stands in the texts', () => {
    const nested = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'large' },
        fc.string({ unit: 'binary-ascii' }),
        fc.constantFrom('"[', '\\"{', '\\\\', ']}', ',,,', 7, null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', '[', '"', '\\', '}'), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(nested, fc.constantFrom(0, 1), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, null, indent));
        const depth = depthOf(value);
        expect(measure(bytes, depth)).not.toBe(TOO_DEEP);
        if (depth > 0) expect(measure(bytes, depth - 1)).toBe(TOO_DEEP);
        if (Array.isArray(value)) expect(measure(bytes, depth)).toBe(Math.max(1, value.length));
      }),
    );
  });

  it.each([
    ['100,000 brackets', '['.repeat(100_000), TOO_DEEP],
    ['100,000 objects', '{"a":'.repeat(100_000), TOO_DEEP],
    ['deep behind a text with quotes', `["\\"[[[[", ${'['.repeat(200)}`, TOO_DEEP],
    ['brackets in a text', JSON.stringify(['['.repeat(100_000)]), 1],
    ['a text that never ends', `["${'['.repeat(1000)}`, 1],
    ['a text that ends in a backslash', '["\\', 1],
    ['closed more than opened', `${']'.repeat(1000)}[[1,2],3]`, 1],
    ['nothing', '', 1],
    ['as many keys as an object may have', keys(MAX_KEYS), MAX_KEYS],
    ['one key more', keys(MAX_KEYS + 1), TOO_MANY],
    ['as many keys in each of two', `[${keys(MAX_KEYS)},${keys(MAX_KEYS)}]`, 2],
    [
      'keys before and after an object with many',
      `{"a":${keys(MAX_KEYS)},${keys(MAX_KEYS - 1).slice(1)}`,
      MAX_KEYS,
    ],
    ['as many lists as there may be', `[${'[],'.repeat(MAX_PARTS - 2)}[]`, MAX_PARTS - 1],
    ['one list more', `[${'[],'.repeat(MAX_PARTS - 1)}[]`, TOO_MANY],
    ['colons in a text', JSON.stringify([':'.repeat(3 * MAX_PARTS)]), 1],
    ['numbers, however many', `[${'1,'.repeat(MAX_PARTS)}1]`, MAX_PARTS + 1],
    ['a batch of four', '[1,[2,3],{"a":4,"b":5},"6,7"]', 4],
  ])('%s', (_, text, expected) => {
    expect(measure(Buffer.from(text), 100)).toBe(expected);
  });

  it('gives up at the level that is too deep, and reads the rest once', () => {
    const counted = (text: string) => {
      let reads = 0;
      const bytes = Buffer.from(text);
      const measured = new Proxy(bytes, {
        get: (target, key) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
          const found: unknown = Reflect.get(target, key, target);
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
      return { measure: measure(measured, 100), reads: () => reads };
    };
    const deep = counted('['.repeat(100_000));
    expect([deep.measure, deep.reads()]).toEqual([TOO_DEEP, 101]);
    const adverse = counted(`"${'\\"'.repeat(10_000)}"`);
    expect(adverse.reads()).toBeLessThan(3 * 20_002);
  });

  it.each([
    ['[', true],
    [' \r\n\t[', true],
    ['{', false],
    ['"[', false],
    ['', false],
    ['\ufeff[', false],
  ])('%j opens an array: %s', (text, expected) => expect(opensArray(Buffer.from(text))).toBe(expected));
});

describe('bytes and texts', () => {
  it('are the same both ways', () => {
    const text = 'ü日本😀\u0000\ufeff';
    expect(textOf(bytesOf(text))).toBe(text);
    expect(textOf(text)).toBe(text);
  });

  it('a byte order mark is kept, so that JSON refuses it', () => {
    expect(textOf(Buffer.from('\ufeff1')).length).toBe(2);
  });

  it.each([[[0xff]], [[0xc0, 0x80]], [[0xed, 0xa0, 0x80]], [[0xe2, 0x82]]])('%o is no UTF-8', (bytes) => {
    expect(() => textOf(Uint8Array.from(bytes))).toThrow();
  });
});
