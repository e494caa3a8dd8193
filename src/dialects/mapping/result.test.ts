import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { shape } from './result.ts';

const answer = { items: [{ name: 'a', n: 1 }, { n: 2 }, { name: null }], total: 3, text: 'hi', none: null };
const scope = { answer, params: { q: 'asked' }, http: { status: 200, headers: { etag: 'e' } } };

const make = (value: Json) => shape(value, '/result').fill(scope);

describe('a result', () => {
  it.each<[Json, Json | undefined]>([
    ['', answer],
    ['/total', 3],
    ['/none', null],
    ['/nothing', undefined],
    ['words', 'words'],
    ['/items/${answer.total}', '/items/3'],
    ['${params.q}: ${answer.total}', 'asked: 3'],
    ['${http.headers.etag}', 'e'],
    [7, 7],
    [null, null],
    [
      { a: '/total', b: '/nothing', c: 'c', d: true },
      { a: 3, c: 'c', d: true },
    ],
    [
      ['/total', '/nothing'],
      [3, null],
    ],
    [{ each: '/items' }, answer.items],
    [{ each: '/items', as: '/name' }, ['a', null, null]],
    [
      { each: '/items', as: { title: '/name', of: '${answer.total}', n: '${item.n ?? 0}' } },
      [
        { title: 'a', of: 3, n: 1 },
        { of: 3, n: 2 },
        { title: null, of: 3, n: 0 },
      ],
    ],
    [{ each: '/nothing', as: '/a' }, []],
    [{ each: '/none' }, []],
    [{ at: '/nothing', default: 'x' }, 'x'],
    [{ at: ['/nothing', '/none', '/total'] }, 3],
    [{ at: '/none' }, undefined],
    [{ const: '/not/a/pointer' }, '/not/a/pointer'],
    [
      { at: '/total', other: 1 },
      { at: 3, other: 1 },
    ],
    [{ each: '/items', as: { each: '', as: '/n' } }, 'throws'],
  ])('by %j', (value, expected) => {
    if (expected === 'throws') expect(() => make(value)).toThrow('instead of a list');
    else expect(make(value)).toEqual(expected);
  });

  it.each<[Json, string]>([
    ['${answr.a}', 'nothing is called "answr" here'],
    ['${secrets.a}', 'nothing is called "secrets" here'],
    [{ each: 'items' }, '/result/each: "items" is no JSON pointer'],
    [{ each: 3 }, '/result/each: must be a JSON pointer'],
    [{ at: [3] }, '/result/at: must be a JSON pointer'],
  ])('is refused when it is read: %j', (value, words) => {
    expect(() => shape(value, '/result')).toThrow(words);
  });
});
