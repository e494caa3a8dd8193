import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerValue, modernHeaders, withMeta } from './envelope.ts';

const self = { info: { name: 'us', version: '1' }, capabilities: { roots: {} } };

/** As a server reads it. */
function read(value: string): string {
  const inside = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return inside === undefined ? value : Buffer.from(inside, 'base64').toString();
}

describe('what is said beside the params', () => {
  it('is who we are and in which revision, in the newer era', () => {
    expect(withMeta({ a: 1 }, { version: '2026-07-28', self, token: 't', traceparent: '00-1' })).toEqual({
      a: 1,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': self.info,
        'io.modelcontextprotocol/clientCapabilities': self.capabilities,
        progressToken: 't',
        traceparent: '00-1',
      },
    });
  });

  it('is only the token in the older; what a task said stays, unless it is ours to say', () => {
    const params = { _meta: { mine: 1, progressToken: 'theirs' } };
    expect(withMeta(params, { version: null, self, token: 't' })).toEqual({
      _meta: { mine: 1, progressToken: 't' },
    });
    expect(withMeta({ a: 1 }, { version: null, self, token: null })).toEqual({ a: 1 });
  });

  it('stands in headers too', () => {
    expect(modernHeaders('tools/call', { name: 'add' }, 'v')).toEqual({
      'mcp-protocol-version': 'v',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
    });
    expect(modernHeaders('resources/read', { uri: 'x://ü' }, 'v')).toMatchObject({
      'mcp-name': '=?base64?eDovL8O8?=',
    });
    expect(modernHeaders('tools/list', { name: 'add' }, 'v')).not.toHaveProperty('mcp-name');
  });
});

describe('the value of a header', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['', ''],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('of %j is %j', (text, value) => {
    expect(headerValue(text)).toBe(value);
  });

  it('can always be carried, and says what it said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const value = headerValue(text);
        expect(value).toMatch(/^[\t\x20-\x7e]*$/);
        expect(value.trim()).toBe(value);
        expect(read(value)).toBe(text);
      }),
    );
  });
});
