import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { fillNamed, namedKeys } from './named-parts.ts';

describe('filling in what is named', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: '${args.x}' }, { x: { deep: [1] } }, { a: { deep: [1] } }],
    [{ a: 'in ${args.x} and ${args.y}' }, { x: 5, y: 'z' }, { a: 'in 5 and z' }],
    [{ a: 'in ${args.x}' }, { x: null }, { a: 'in null' }],
    [{ a: '${args.x}', b: 1 }, {}, { b: 1 }],
    [{ a: 'about ${args.x}', b: [1, '${args.x}', { c: '${args.x}' }] }, {}, { b: [1] }],
    [
      { a: '$${args.x} ${config.y} ${search.result}' },
      { x: 1 },
      { a: '$${args.x} ${config.y} ${search.result}' },
    ],
    [{ a: '${args.constructor}' }, {}, {}],
    [{}, { x: 1 }, {}],
  ])('%j with %j is %j', (template, values, expected) => {
    expect(fillNamed(template, { word: 'args', values })).toEqual(expected);
  });

  it('finds every key that is named, and not what is only written like one', () => {
    const value = { a: ['${args.x} ${args.y}', 1, null], b: { c: '$${args.z} ${config.w}' } };
    expect(namedKeys(value, 'args').map(({ key, path }) => [key, path])).toEqual([
      ['x', ['a', 0]],
      ['y', ['a', 0]],
    ]);
  });
});
