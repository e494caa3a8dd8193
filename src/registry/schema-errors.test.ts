import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import { judge } from './judge.suite.ts';

/** A literal with `then` in it would look like a promise. */
const ifThen = (condition: Json, consequence: Json) =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);

describe('what is expected', () => {
  it.each<[unknown, Json, string, string]>([
    [{ const: 5 }, 6, '', 'must be 5, not 6'],
    [{ minimum: 3 }, 2, '', 'must be >= 3, found 2'],
    [{ type: ['string', 'null'] }, 2, '', 'must be string or null, not 2'],
    [{ format: 'email' }, 'x', '', 'must match format "email", found "x"'],
    [{ pattern: '^a+$' }, 'b', '', 'must match pattern "^a+$", found "b"'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, true, '', 'must be string or integer, not true'],
    [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, 5, '', 'fits more than one of the allowed forms'],
    [
      { anyOf: [{ const: 1 }, { minimum: 9 }] },
      5,
      '',
      'fits none of the allowed forms: must be 1, not 5; must be >= 9, found 5',
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } } }] },
      { n: 'x' },
      '/n',
      'must be integer, not "x"',
    ],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { c: 1 },
      '',
      'fits none of the allowed forms: /a is missing; /b is missing',
    ],
    [
      ifThen({ type: 'string' }, { minLength: 3 }),
      'x',
      '',
      'must NOT have fewer than 3 characters, found "x"',
    ],
    [{ not: { type: 'string' } }, 'x', '', 'must NOT be valid, found "x"'],
    [ifThen(true, false), 'x', '', 'boolean schema is false, found "x"'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, 0, '', 'must be one of 1, 2, 3, 4, 5, 6, 7, 8, …, not 0'],
    [{ properties: { a: true }, unevaluatedProperties: false }, { ab: 1 }, '/ab', 'unknown key "ab"'],
    [
      { items: { properties: { 'a/b': { type: 'null' } } } },
      [{ 'a/b': 1 }],
      '/0/a~1b',
      'must be null, not 1',
    ],
    [
      { pattern: 'x' },
      'x'.repeat(9_000),
      '-',
      'a text of 9000 characters is too long for a pattern (at most 8192)',
    ],
  ])('by %j of %j', (schema, value, field, reason) => {
    const error = judge({ type: 'object', properties: { v: schema } }).refusal({ v: value });
    expect(error.details.reason).toBe(reason);
    expect(error.details.field).toBe(field === '-' ? '/params' : `/params/v${field}`);
  });

  it('is not told by showing a secret', () => {
    const key = { type: 'string', minLength: 8, 'x-secret': true };
    const { refusal } = judge({
      type: 'object',
      properties: { key, list: { items: { 'x-secret': true, type: 'integer' } } },
    });
    expect(refusal({ key: 'hunter2' }).message).not.toContain('hunter2');
    expect(refusal({ key: 'hunter2' }).details.reason).toBe(
      'must NOT have fewer than 8 characters, found a string',
    );
    expect(refusal({ list: ['hunter2'] }).details.reason).toBe('must be integer, not a string');
  });
});
