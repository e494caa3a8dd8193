import { describe, expect, it } from 'vitest';
import { lineageOf, refuseCircle, wholeMethods } from './lineage.ts';
import { type ProtocolDefinition, parseProtocol } from './protocol.ts';
import { thrownBy } from './thrown.suite.ts';

function known(bases: Readonly<Record<string, string | null>>) {
  const all = new Map<string, ProtocolDefinition>();
  for (const [name, base] of Object.entries(bases)) {
    const methods = { [`of-${name}`]: {}, shared: { description: name } };
    const definition = { name, version: '1', methods, ...(base === null ? {} : { extends: base }) };
    all.set(name, parseProtocol(definition));
  }
  const get = (name: string) => all.get(name);
  const of = (name: string) => all.get(name) ?? parseProtocol({});
  return { get, of };
}

describe('what a protocol extends', () => {
  it('is followed to the end, or to what is not known', () => {
    const { get, of } = known({ a: 'b', b: 'c', c: null, d: 'https://example.com' });
    expect(lineageOf(of('a'), get).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(lineageOf(of('d'), get).map(({ name }) => name)).toEqual(['d']);
    for (const name of ['a', 'd']) expect(() => refuseCircle(of(name), get)).not.toThrow();
  });

  it('gives it its methods; the nearest counts', () => {
    const { get, of } = known({ a: 'b', b: 'c', c: null });
    const methods = wholeMethods(of('a'), get);
    expect(Object.keys(methods).sort()).toEqual(['of-a', 'of-b', 'of-c', 'shared']);
    expect(methods['shared']?.description).toBe('a');
  });

  it.each([
    ['a', { a: 'a' }, 'a → a'],
    ['a', { a: 'b', b: 'c', c: 'a' }, 'a → b → c → a'],
    ['a', { a: 'b', b: 'c', c: 'b' }, 'a → b → c → b'],
  ])('is refused where it leads back: %s of %j', (name, bases, path) => {
    const { get, of } = known(bases);
    const error = thrownBy(() => refuseCircle(of(name), get));
    expect([error.code, error.details.field, error.message]).toEqual([
      'GLZ1008',
      '/extends',
      `/extends: goes in a circle: ${path}`,
    ]);
    expect(lineageOf(of(name), get).length).toBe(Object.keys(bases).length);
  });
});
