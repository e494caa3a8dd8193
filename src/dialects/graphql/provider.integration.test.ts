import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../core/answer.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type Reply, type Seen, startService } from '../rest/peer.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const parts = { ...realParts, methods: ['search'] };

function check(method: object, more: object = {}) {
  const config = { url: 'http://127.0.0.1:9/graphql', methods: { search: method }, ...more };
  return () => createProvider({ id: 'api', protocol: 'search/v1', type: 'graphql', config }, parts);
}

async function scene(method: object, answer: (seen: Seen, count: number) => Reply) {
  const service = await startService(answer);
  ends.push(service.stop);
  const provider = check(method, { url: `${service.url}/graphql` })();
  ends.push(async () => provider.close?.());
  const search = (params: JsonObject): Promise<Answer> =>
    provider.call({
      method: 'search',
      params,
      call_id: 'c1',
      task_id: 't1',
      workflow_id: null,
      attempt: 1,
      signal: AbortSignal.timeout(10_000),
    });
  return { search, sent: () => service.seen.map(({ body }) => JSON.parse(body)), seen: service.seen };
}

const resultOf = (answer: Answer): Json =>
  answer.word === 'done' ? JSON.parse(answer.result) : (answer as never);

const document = 'query Search($q: String!, $first: Int, $after: String) { search(q: $q) { nodes { id } } }';

describe('a method as a GraphQL operation', () => {
  it('is posted with the params of the same names as its variables, and answered with data', async () => {
    const { search, sent, seen } = await scene({ document }, () => ({ json: { data: { search: 1 } } }));
    expect(resultOf(await search({ q: 'a', first: 3, other: true }))).toEqual({ search: 1 });
    expect(sent()).toEqual([{ query: document, operationName: 'Search', variables: { q: 'a', first: 3 } }]);
    expect(seen[0]?.headers).toMatchObject({
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
    });
  });

  it('has its variables and its result as the mapping says', async () => {
    const { search, sent } = await scene(
      {
        document,
        variables: { q: 'site:${params.site} ${params.query}', first: '${params.limit ?? 5}' },
        result: { results: { each: '/search/nodes', as: { title: '/id' } } },
      },
      () => ({ json: { data: { search: { nodes: [{ id: 'x' }, { id: 'y' }] } } } }),
    );
    const result = resultOf(await search({ site: 'a.org', query: 'b' }));
    expect(result).toEqual({ results: [{ title: 'x' }, { title: 'y' }] });
    expect(sent()[0].variables).toEqual({ q: 'site:a.org b', first: 5 });
  });

  it('is called page by page', async () => {
    const pagination = {
      items: '/search/nodes',
      from: '/search/page/end',
      more: '/search/page/more',
      variable: 'after',
    };
    const { search, sent } = await scene({ document, pagination, result: '/search/nodes' }, (_, count) => ({
      json: { data: { search: { nodes: [count], page: { end: `c${count}`, more: count < 3 } } } },
    }));
    expect(resultOf(await search({ q: 'a' }))).toEqual([1, 2, 3]);
    expect(sent().map(({ variables }) => variables.after)).toEqual([undefined, 'c1', 'c2']);
  });

  it('takes data beside errors only where that is wished for', async () => {
    const json = { data: { search: null, other: 1 }, errors: [{ message: 'half of it is away' }] };
    const strict = await scene({ document }, () => ({ json }));
    expect(await strict.search({ q: 'a' })).toMatchObject({ error: { message: 'half of it is away' } });
    const lenient = await scene({ document, partial: true }, () => ({ json }));
    expect(resultOf(await lenient.search({ q: 'a' }))).toEqual({ search: null, other: 1 });
  });
});

describe('a mapping that cannot be meant', () => {
  it.each([
    [{ document: 'query {' }, '/config/methods/search/document: line 1'],
    [{ document, variables: { query: 'a' } }, 'the operation has no variable $query'],
    [{ document, variables: { first: 1 } }, '/config/methods/search/variables/q: is missing'],
    [{ document, variables: { q: '${parms.a}' } }, 'nothing is called "parms" here'],
    [{ document, operation: 'Find' }, 'has no operation "Find"'],
    [
      { document, pagination: { items: '/a', from: '/b', variable: 'cursor' } },
      '/config/methods/search/pagination/variable: the operation has no variable $cursor',
    ],
  ])('is noticed when it is read: %j', (method, words) => {
    expect(check(method)).toThrow(words);
  });
});
