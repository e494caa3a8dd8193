import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { graphqlRules } from './answer.ts';

function judge(value: Json | undefined, more: { status?: number; partial?: boolean } = {}) {
  const { status = 200, partial = false } = more;
  const rules = graphqlRules({ QUOTA: 'rate_limit', THROTTLED: 'rejected' }, partial);
  const beginning = () => ': what it said';
  const error = rules({ status, ok: status < 300, value, peer: 'peer', retry_after_ms: 5, beginning });
  return error === null ? null : [error.code, error.message];
}

const errors = (code?: string): Json => ({
  data: { a: 1 },
  errors: [
    { message: 'no', ...(code === undefined ? {} : { extensions: { code } }) },
    { message: 'nor this' },
  ],
});

describe('what a GraphQL server says', () => {
  it.each([
    ['data', { data: { a: 1 } }, null],
    ['an empty list of errors', { data: {}, errors: [] }, null],
    ['an error without a code', errors(), ['GLZ2010', 'no']],
    ['an error of the caller', errors('BAD_USER_INPUT'), ['GLZ2010', 'no']],
    ['trouble of its own', errors('INTERNAL_SERVER_ERROR'), ['GLZ2001', 'no']],
    ['a code that was configured', errors('QUOTA'), ['GLZ2004', 'no']],
    ['a code that means something else here', errors('THROTTLED'), ['GLZ2010', 'no']],
    ['an error that is none', { errors: [3] }, ['GLZ2010', 'the service gave no message']],
    ['neither', {}, ['GLZ2005', 'peer answered with neither data nor errors: what it said']],
    [
      'data that is null',
      { data: null },
      ['GLZ2005', 'peer answered with neither data nor errors: what it said'],
    ],
    ['no object', 'hello', ['GLZ2005', 'peer answered with neither data nor errors: what it said']],
  ])('is %s', (_, value, verdict) => {
    expect(judge(value as Json)).toEqual(verdict);
  });

  it('counts by its status too', () => {
    expect(judge(errors(), { status: 500 })).toEqual(['GLZ2001', 'no']);
    expect(judge(errors('BAD_USER_INPUT'), { status: 400 })).toEqual(['GLZ2010', 'no']);
    expect(judge(undefined, { status: 503 })).toEqual(['GLZ2001', 'peer answered HTTP 503: what it said']);
    expect(judge(undefined, { status: 401 })?.[0]).toBe('GLZ2010');
  });

  it('is taken in part where that is wished for and there is a part', () => {
    expect(judge(errors(), { partial: true })).toBeNull();
    expect(judge({ data: null, errors: [{ message: 'all wrong' }] }, { partial: true })).toEqual([
      'GLZ2010',
      'all wrong',
    ]);
    expect(judge(errors(), { partial: true, status: 500 })?.[0]).toBe('GLZ2001');
  });
});
