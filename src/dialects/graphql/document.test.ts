import { describe, expect, it } from 'vitest';
import { operationOf } from './document.ts';

const read = (text: string, wanted?: string) => operationOf(text, wanted, '/document');

describe('a GraphQL document', () => {
  it('tells its operation, and the variables that it cannot do without', () => {
    const { kind, name, variables } = read(`
      # a remark with { in it
      query Search($q: String!, $first: Int = 10, $in: [String!]!, $sort: Sort! = {by: "x", at: [1, 2]}) {
        search(query: $q, first: $first, in: $in, sort: $sort) { nodes { ...Hit, id } }
      }
      fragment Hit on Result @cached(for: 1.5e3) { title text(max: -1, mark: """a "quoted" } word""") }
    `);
    expect({ kind, name }).toEqual({ kind: 'query', name: 'Search' });
    expect(variables).toEqual([
      { name: 'q', required: true },
      { name: 'first', required: false },
      { name: 'in', required: true },
      { name: 'sort', required: false },
    ]);
  });

  it.each([
    ['{ me { name } }', 'query', null],
    ['query { me }', 'query', null],
    ['mutation Add { add(n: 1) }', 'mutation', 'Add'],
    [
      'query ($a: Int @deprecated) @live { a(n: $a) ... on B { c } ... @include(if: $a) { d } }',
      'query',
      null,
    ],
    ['\ufeffquery constructor { toString valueOf(__proto__: {}) }', 'query', 'constructor'],
    ['query { a(t: "") b(t: """""") c(t: "\\"{") }', 'query', null],
    ['query { on fragment query mutation }', 'query', null],
  ])('may be written as %s', (text, kind, name) => {
    expect(read(text)).toMatchObject({ kind, name });
  });

  it('has one operation, or says which is meant', () => {
    const both = 'query A { a } mutation B { b }';
    expect(read(both, 'B')).toMatchObject({ kind: 'mutation', name: 'B' });
    expect(() => read(both)).toThrow('has several operations: A, B');
    expect(() => read(both, 'C')).toThrow('has no operation "C"');
    expect(() => read('fragment F on T { a }')).toThrow('has no operation in it');
    expect(() => read('subscription { a }')).toThrow('a subscription has no single answer');
  });

  it('has what it uses, also in fragments that fragments use', () => {
    expect(() => read('query ($q: Int) { a(q: $p) }')).toThrow('the variable $p is not declared');
    expect(() => read('query { ...A }')).toThrow('there is no fragment "A"');
    const nested = 'query ($q: Int) { ...A } fragment A on T { ...B } fragment B on T { ...A b(x: $y) }';
    expect(() => read(nested)).toThrow('the variable $y is not declared');
  });

  it.each([
    ['query {', 'line 1'],
    ['query { a ) }', 'where } for line 1 should stand'],
    ['query { }', 'where a field should stand'],
    ['query ($a Int) { a }', 'where : should stand'],
    ['query ($a: ) { a }', 'where a type should stand'],
    ['query ($: Int) { a }', 'the name of the variable'],
    ['query ($a: [Int) { a }', 'where ] should stand'],
    ['query ($a: Int = ) { a }', 'where a value should stand'],
    ['query A', 'where { should stand'],
    ['select * from a', 'no GraphQL'],
    ['hello { a }', 'where query, mutation or fragment should stand'],
    ['query {\n a(t: "open) }', 'line 2 has something in it that is no GraphQL'],
    ['query { a(n: 1x) }', 'no GraphQL'],
    ['fragment { a }', 'the name of the fragment'],
  ])('is not %j', (text, words) => {
    expect(() => read(text)).toThrow(words);
  });
});
