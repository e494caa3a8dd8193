import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../core/protocol.ts';
import { knownProtocols } from './protocols.ts';

const define = (name: string, base: string | null, method: string) =>
  parseProtocol({
    name,
    ...(base === null ? {} : { extends: base }),
    methods: { [method]: { params: { text: { type: 'string', pattern: '^[a-z]+$' } } } },
  });

describe('protocols for whoever reads workflow files', () => {
  it('have the methods of what they extend, whatever the order they are written in', () => {
    const known = knownProtocols([
      define('c/v1', 'b/v1', 'third'),
      define('b/v1', 'a/v1', 'second'),
      define('a/v1', null, 'first'),
    ]);
    expect(Object.keys(known.get('c/v1')?.methods ?? {}).sort()).toEqual(['first', 'second', 'third']);
    expect([...known.names()].sort()).toEqual(['a/v1', 'b/v1', 'c/v1']);
  });

  it('may extend each other in a circle, or what is not there', () => {
    const known = knownProtocols([
      define('a/v1', 'b/v1', 'one'),
      define('b/v1', 'a/v1', 'two'),
      define('c/v1', 'gone/v1', 'three'),
    ]);
    expect(known.names()).toHaveLength(3);
  });

  it('judge params as the engine does', () => {
    const { checkParams } = knownProtocols([define('a/v1', null, 'say')]);
    const call = { protocol: 'a/v1', method: 'say' };
    expect(() => checkParams?.({ ...call, params: { text: 'BEES' } })).toThrow('must match pattern');
    expect(() => checkParams?.({ ...call, params: { text: '${x.result}' } })).not.toThrow();
  });
});
