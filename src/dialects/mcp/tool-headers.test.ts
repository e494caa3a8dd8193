import { describe, expect, it } from 'vitest';
import { mirroredHeaders, mirroredIn } from './tool-headers.ts';

const text = (header: unknown) => ({ type: 'string', 'x-mcp-header': header });
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('arguments that stand in headers', () => {
  it('are found by their path, and left out where there is no value', () => {
    const nested = schema({
      region: text('Region'),
      inner: schema({ n: { type: 'integer', 'x-mcp-header': 'N' } }),
    });
    const mirrored = mirroredIn(nested);
    if ('invalid' in mirrored) throw new Error(mirrored.invalid);
    expect(mirroredHeaders(mirrored, { region: 'eu', inner: { n: 0 } })).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-n': '0',
    });
    expect(mirroredHeaders(mirrored, { region: null, inner: {} })).toEqual({});
    expect(mirroredHeaders(mirrored, null)).toEqual({});
  });

  it('need no schema', () => {
    for (const none of [undefined, null, true, schema({ a: { type: 'string' } })])
      expect(mirroredIn(none)).toEqual([]);
  });

  it.each([
    schema({ a: text('') }),
    schema({ a: text('My Region') }),
    schema({ a: text('a\r\nb') }),
    schema({ a: text(1) }),
    schema({ a: { type: 'number', 'x-mcp-header': 'A' } }),
    schema({ a: { type: 'object', 'x-mcp-header': 'A' } }),
    schema({ a: text('Same'), b: text('same') }),
    schema({ a: { type: 'array', items: text('A') } }),
    schema({}, { anyOf: [schema({ a: text('A') })] }),
    schema({}, { $defs: { a: text('A') } }),
    { type: 'string', 'x-mcp-header': 'A' },
  ])('are refused by %j', (wrong) => {
    expect(mirroredIn(wrong)).toHaveProperty('invalid');
  });
});
