import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { shape } from './result.ts';

const answer = {
  first: [{ n: 1 }, { n: 2, url: 'b' }],
  groups: [{ topics: [{ n: 3, url: 'c' }] }, { n: 4 }, { topics: [{ n: 5, url: '' }] }],
};

const made = (written: Json, params: Json = {}) => shape(written, '/result').fill({ answer, params });

describe('a list made of lists', () => {
  it.each<[Json, Json]>([
    [{ each: '/first', as: '/n' }, [1, 2]],
    [{ each: ['/first', '/groups/*/topics'], as: '/n' }, [1, 2, 3, 5]],
    [{ each: ['/first', '/groups/*/topics'], where: '/url', as: '/n' }, [2, 3]],
    [{ each: '/first', limit: 1 }, [{ n: 1 }]],
    [{ each: '/first', as: '/n', limit: '${params.most}' }, [1, 2]],
    [{ each: '/nowhere', as: '/n' }, []],
    [{ each: '/nowhere/*/inner' }, []],
  ])('%j is %j', (written, expected) => {
    expect(made(written)).toEqual(expected);
  });

  it('takes as many as the task asks for', () => {
    expect(made({ each: '/first', as: '/n', limit: '${params.most}' }, { most: 1 })).toEqual([1]);
  });

  it('says so where there is something else than a list', () => {
    expect(() => made({ each: '/first/0/n' })).toThrow(/a number instead of a list/);
  });
});
