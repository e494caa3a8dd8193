import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from './json.ts';
import {
  MASK,
  mapPointers,
  mapSealed,
  maySeal,
  redact,
  redactJson,
  redactResult,
  SEALED,
  sealSecrets,
  secretTexts,
} from './secrets.ts';

const seal = (value: Json): Json => ({ [SEALED]: JSON.stringify(value) });
const open = (sealed: string): Json => JSON.parse(sealed) as Json;
const json = () => fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

describe('a sealed value', () => {
  it('is an object with one key, whose value is a text', () => {
    const masked = (value: Json) => mapSealed(value, () => MASK);
    expect(masked({ $sealed: 'x' })).toBe(MASK);
    for (const other of [
      { [SEALED]: 'x', other: 1 },
      { [SEALED]: 1 },
      { other: 'x' },
      {},
      'x',
      null,
      ['x'],
    ]) {
      expect(masked(other)).toEqual(other);
    }
  });

  it('is suspected wherever its key may stand', () => {
    expect(maySeal(JSON.stringify({ a: [{ [SEALED]: 'x' }] }))).toBe(true);
    expect(maySeal('{"sealed":1}')).toBe(false);
    expect(maySeal('"a $sealed envelope"')).toBe(false);
  });

  it('is replaced wherever it is, and nothing else is', () => {
    const value = { a: seal('x'), b: [1, seal(2), { c: seal(null) }], d: { [SEALED]: 1 }, e: null, f: 'x' };
    expect(mapSealed(value, open)).toEqual({
      a: 'x',
      b: [1, 2, { c: null }],
      d: { [SEALED]: 1 },
      e: null,
      f: 'x',
    });
    expect(mapSealed(seal('whole'), open)).toBe('whole');
    expect(mapSealed('plain', open)).toBe('plain');
  });

  it('is not looked into again once it is open', () => {
    expect(mapSealed(seal(seal('x')), open)).toEqual(seal('x'));
  });
});

describe('mapPointers', () => {
  const shout = (value: Json): Json => `!${JSON.stringify(value)}`;

  it('changes the place a pointer names and nothing else', () => {
    expect(mapPointers({ a: { b: 1, c: 2 }, b: 3 }, ['/a/b'], shout)).toEqual({
      a: { b: '!1', c: 2 },
      b: 3,
    });
    expect(mapPointers({ a: [1, 2, 3] }, ['/a/1'], shout)).toEqual({ a: [1, '!2', 3] });
    expect(mapPointers({ a: 1 }, [''], shout)).toBe('!{"a":1}');
    expect(mapPointers({ a: 1 }, [], shout)).toEqual({ a: 1 });
  });

  it('takes * for every item and every member', () => {
    expect(mapPointers({ a: [{ k: 1 }, { k: 2 }, 3] }, ['/a/*/k'], shout)).toEqual({
      a: [{ k: '!1' }, { k: '!2' }, 3],
    });
    expect(mapPointers({ x: 1, y: [2] }, ['/*'], shout)).toEqual({ x: '!1', y: '![2]' });
  });

  it('leaves alone what is not there or cannot have members', () => {
    const value = { a: 1, b: null, c: 'text', d: [] };
    const pointers = ['/x', '/a/x', '/b/x', '/c/0', '/d/0', '/d/-'];
    expect(mapPointers(value, pointers, shout)).toEqual(value);
  });

  it('reads escapes as RFC 6901 has them: ~1 first, then ~0', () => {
    expect(mapPointers({ 'a/b': 1, 'm~n': 2, '~1': 3 }, ['/a~1b', '/m~0n', '/~01'], shout)).toEqual({
      'a/b': '!1',
      'm~n': '!2',
      '~1': '!3',
    });
  });

  it('knows an empty key from the whole value', () => {
    expect(mapPointers({ '': 1, a: 2 }, ['/'], shout)).toEqual({ '': '!1', a: 2 });
  });

  it('takes keys like __proto__ for the data they are', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"b":2}') as Json;
    expect(JSON.stringify(mapPointers(value, ['/__proto__/a'], shout))).toBe(
      '{"__proto__":{"a":"!1"},"b":2}',
    );
  });

  it('changes a place once that several pointers name', () => {
    expect(mapPointers({ a: 1, b: 2 }, ['/a', '/*', '/a'], shout)).toEqual({ a: '!1', b: '!2' });
    expect(mapPointers([1, 2], ['/0', '/*'], shout)).toEqual(['!1', '!2']);
  });

  it('changes the outermost where one place lies within another, in either order', () => {
    const value = { a: { b: 1 } };
    expect(mapPointers(value, ['/a', '/a/b'], shout)).toEqual({ a: '!{"b":1}' });
    expect(mapPointers(value, ['/a/*', '/a'], shout)).toEqual({ a: '!{"b":1}' });
  });

  it('leaves the value it was given as it is', () => {
    const value = { a: [{ b: 1 }] };
    mapPointers(value, ['/a/*/b'], shout);
    expect(value).toEqual({ a: [{ b: 1 }] });
  });

  it('seals so that opening gives back the value, whatever the pointers', () => {
    const pointer = fc
      .array(fc.constantFrom('a', 'b', '*', '0', '1'), { maxLength: 4 })
      .map((path) => path.map((segment) => `/${segment}`).join(''));
    const value = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(1, 'x', null),
        fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('tree'), { noNullPrototype: true }),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    })).tree;
    fc.assert(
      fc.property(value, fc.array(pointer, { maxLength: 4 }), (tree, pointers) => {
        expect(mapSealed(mapPointers(tree, pointers, seal), open)).toEqual(tree);
      }),
    );
  });
});

describe('secretTexts', () => {
  it('finds the texts and numbers within a secret, and nothing that gives nothing away', () => {
    expect(secretTexts('abc')).toEqual(['abc']);
    expect(secretTexts(1234)).toEqual(['1234']);
    expect(secretTexts('')).toEqual([]);
    expect(secretTexts(null)).toEqual([]);
    expect(secretTexts(true)).toEqual([]);
    expect(secretTexts({ user: 'u', keys: ['k1', { pin: 42, on: false }], none: null })).toEqual([
      'u',
      'k1',
      '42',
    ]);
  });
});

describe('redact', () => {
  it('masks every occurrence, and leaves the rest', () => {
    expect(redact('key=abc; again abc.', ['abc'])).toBe(`key=${MASK}; again ${MASK}.`);
    expect(redact('nothing here', ['abc'])).toBe('nothing here');
    expect(redact('nothing here', [])).toBe('nothing here');
    expect(redact('nothing here', [''])).toBe('nothing here');
    expect(redact('abc', ['abc'])).toBe(MASK);
  });

  it('shows no rest of a secret that contains another one', () => {
    expect(redact('x abcdef y', ['abc', 'abcdef'])).toBe(`x ${MASK} y`);
    expect(redact('x abcdef y', ['abcdef', 'bcd'])).toBe(`x ${MASK} y`);
  });

  it('shows no rest of secrets that overlap', () => {
    expect(redact('x abcdef y', ['abcd', 'cdef'])).toBe(`x ${MASK} y`);
    expect(redact('aaa', ['aa'])).toBe(MASK);
  });

  it('masks neighbours each for itself', () => {
    expect(redact('abab', ['ab'])).toBe(MASK + MASK);
  });

  it('takes a secret literally', () => {
    expect(redact('a.c abc $& (x)', ['a.c', '$&', '(x)'])).toBe(`${MASK} abc ${MASK} ${MASK}`);
  });

  it('does not mask its own masks', () => {
    expect(redact('a secret a', ['secret', 'a', 'e'])).toBe(`${MASK} ${MASK} ${MASK}`);
  });

  it('knows a secret quoted in JSON, and JSON quoted in JSON', () => {
    const secret = 'p"a\\s\ns';
    const once = JSON.stringify({ password: secret });
    const twice = JSON.stringify({ body: once });
    for (const text of [`raw ${secret}`, once, twice]) {
      const shown = redact(text, [secret]);
      expect(shown).toContain(MASK);
      expect(shown).not.toContain('p"a');
      expect(shown).not.toContain('p\\');
    }
  });

  it('masks a quoted secret whole, and no more than that', () => {
    expect(redact('x a\\"b y', ['a"b'])).toBe(`x ${MASK} y`);
    expect(redact('x a\\\\\\"b y', ['a"b'])).toBe(`x ${MASK} y`);
  });

  it('never shows a secret, wherever it stands', () => {
    const text = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'b', '"', '\\', 'é') });
    const secrets = fc.array(text, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(secrets, fc.array(text, { maxLength: 5 }), (found, between) => {
        const told = between.map((part, index) => part + (found[index % found.length] ?? '')).join('');
        const rest = redact(told, found).replaceAll(MASK, '\u0000');
        for (const secret of found) expect(rest).not.toContain(secret);
      }),
    );
  });
});

describe('redactJson', () => {
  it('masks texts, keys and numbers, and keeps the shape', () => {
    const value = { abc: ['x abc', 1, true, null], pin: 1234, deep: { a: 'abc' } };
    expect(redactJson(value, ['abc', '1234'])).toEqual({
      [MASK]: [`x ${MASK}`, 1, true, null],
      pin: MASK,
      deep: { a: MASK },
    });
  });

  it('keeps a number a number that shows nothing', () => {
    expect(redactJson([12.5, -3], ['abc'])).toEqual([12.5, -3]);
    expect(redactJson(912345, ['1234'])).toBe(`9${MASK}5`);
  });

  it('changes nothing without secrets', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.stringify(redactJson(value, []))).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe('sealing what others may read', () => {
  const sealed = (secret: Json) => ({ [SEALED]: JSON.stringify(secret) });
  const sealedOf = (value: JsonObject, pointers: readonly string[], secrets: readonly string[]) =>
    sealSecrets(value, { pointers, secrets }, sealed);

  it('seals what its schema says, and every text in which a secret shows', () => {
    const value = {
      password: 'hunter2',
      note: 'use hunter2',
      list: ['x', 'hunter2', { n: 4711, ok: true }],
      none: null,
    };
    expect(sealedOf(value, ['/password'], ['hunter2', '4711'])).toEqual({
      password: { $sealed: '"hunter2"' },
      note: { $sealed: '"use hunter2"' },
      list: ['x', { $sealed: '"hunter2"' }, { n: { $sealed: '4711' }, ok: true }],
      none: null,
    });
  });

  it('seals the whole where a name gives it away, wherever that is', () => {
    for (const value of [{ hunter2: 1 }, { a: [{ b: { 'x-hunter2': 1 } }] }])
      expect(sealedOf(value, ['/a'], ['hunter2'])).toEqual({ $sealed: JSON.stringify(value) });
  });

  it('leaves alone what holds none, and can be opened again', () => {
    const value = { a: 1, b: ['c', { d: null }] };
    expect(sealedOf(value, [], [])).toEqual(value);
    expect(sealedOf(value, ['/x'], ['hunter2'])).toEqual(value);
    const secret = { key: { deep: ['hunter2'] }, text: 'hunter2!' };
    expect(mapSealed(sealedOf(secret, ['/key'], ['hunter2']), open)).toEqual(secret);
  });
});

describe('redactResult', () => {
  it('masks secrets of eight characters and more, wherever they stand, and leaves sealed parts alone', () => {
    const sealed = { [SEALED]: 'v1.eight-88.AAAA' };
    const value = { at: ['is eight-88', 7], 'eight-88': sealed };
    expect(redactResult(value, ['eight-88'])).toEqual({ at: [`is ${MASK}`, 7], [MASK]: sealed });
    expect(redactResult({ pin: 12345678 }, ['12345678'])).toEqual({ pin: MASK });
  });

  it('gives back the very value where there is nothing to mask', () => {
    const value = { at: ['is seven-7', 'a'] };
    expect(redactResult(value, ['seven-7', 'elsewhere', ''])).toBe(value);
  });
});
