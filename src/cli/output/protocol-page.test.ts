import { describe, expect, it } from 'vitest';
import { protocolPage } from './protocol-page.ts';

const page = (params: unknown, returns: unknown = {}) =>
  protocolPage({
    ...{ name: 'odd/v1', title: null, version: '1', description: null },
    methods: { get: { description: null, params, returns } },
  });

const fields = (properties: object, more: object = {}) => page({ type: 'object', properties, ...more });

describe('a page about a protocol', () => {
  it('keeps its tables whole, whatever fields and values are called', () => {
    const made = fields({ 'a | b': { enum: ['x|y', '`z`'] }, 'tick`': { default: '``' } });
    expect(made).toContain('| `a \\| b` | `"x\\|y"`, `` "`z`" `` |  |  |');
    expect(made).toContain('| `` tick` `` | anything | ``` "``" ``` |  |');
  });

  it('says what is referred to within the schema, however often that goes round', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { type: 'string' } } };
    const made = fields({ first: { $ref: '#/$defs/node' } }, { $defs: { node } });
    expect(made).toContain('| `first` | object |');
    expect(made).toContain('| `first.next.name` | string |');
    const loop = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } };
    expect(fields({ x: { $ref: '#/$defs/a' } }, { $defs: loop })).toContain('| `x` | anything |');
  });

  it('says which types there are to choose from, and what may not be there', () => {
    const made = fields({
      either: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
      any: { anyOf: [{ const: 1 }, { type: ['string', 'null'] }] },
      all: true,
      none: false,
    });
    expect(made).toContain('| `either` | integer or string |');
    expect(made).toContain('| `any` | `1` or string or null |');
    expect(made).toContain('| `all` | anything |');
    expect(made).toContain('| `none` | nothing |');
  });

  it('says what a result is that has no fields', () => {
    expect(page({}, { type: 'string', description: 'the text' })).toContain('The result is string: the text');
    expect(page({}, { type: 'array', items: { type: 'integer' } })).toContain(
      'The result is array of integer',
    );
    expect(page({}, {})).not.toContain('The result');
  });
});
