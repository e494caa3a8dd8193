import { describe, expect, it } from 'vitest';
import { followRef, fragment, refPath, refTarget } from './local-ref.ts';

const root = { $defs: { 'a/b': { type: 'string' }, 'c~d e': true, n: 3 }, allOf: [{ const: 1 }, false] };

describe('a reference inside a schema', () => {
  it.each([
    ['#', root],
    ['#/$defs/a~1b', { type: 'string' }],
    ['#/$defs/c~0d%20e', true],
    ['#/allOf/0', { const: 1 }],
    ['#/allOf/1', false],
    ['#/$defs/n', undefined],
    ['#/$defs/gone/deeper', undefined],
    ['#/toString', undefined],
    ['#anchor', undefined],
    ['https://example.com/#/$defs/n', undefined],
    [undefined, undefined],
    [3, undefined],
  ])('%s is followed', (ref, target) => {
    expect(followRef(root, ref)).toEqual(target);
  });

  it('survives escapes that are none', () => {
    expect(refPath('#/100%')).toEqual(['100%']);
  });

  it('is read from a schema', () => {
    expect(refTarget(root, { $ref: '#/allOf/0' })).toEqual({ const: 1 });
    expect(refTarget(root, {})).toBeUndefined();
  });

  it('can be written for every path', () => {
    for (const path of [['properties', 'a/b'], ['x', 'c~d e'], ['ü', '%', '~1'], []]) {
      expect(refPath(path.length === 0 ? '#' : `#${fragment(path)}`)).toEqual(path);
    }
  });
});
