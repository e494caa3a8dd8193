import { afterEach, describe, expect, it } from 'vitest';
import { linkIn } from './link.ts';
import { endScenes, errorOf, resultOf, scene } from './scene.suite.ts';

afterEach(endScenes);

const result = { items: '/items', count: '${pages.count}', complete: '${pages.complete}' };

describe('an answer in pages', () => {
  it('is followed by the address of the next one', async () => {
    const pagination = { by: 'next', items: '/items', from: '/next' };
    const { call, seen } = await scene({
      method: { path: '/list', query: { q: '${params.q}' }, pagination, result },
      answer: ({ query }) =>
        query.includes('page=3')
          ? { json: { items: [5], next: null } }
          : { json: { items: [1, 2], next: `/list?page=${query.includes('page=2') ? 3 : 2}` } },
      config: { headers: { 'X-Key': '${secrets.key}' } },
    });
    expect(resultOf(await call({ q: 'a' }))).toEqual({ items: [1, 2, 1, 2, 5], count: 3, complete: true });
    expect(seen.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/list?q=a',
      '/list?page=2',
      '/list?page=3',
    ]);
    expect(seen.map(({ headers }) => headers['x-key'])).toEqual(Array(3).fill('value-of-key'));
  });

  it('is followed by the Link header', async () => {
    const { call } = await scene({
      method: { pagination: { by: 'next', items: '', from: 'link' } },
      answer: ({ path }) => ({
        json: [path],
        headers: path === '/b' ? {} : { link: '</a>; rel="prev", </b>; rel="last next"' },
      }),
    });
    expect(resultOf(await call())).toEqual(['/', '/b']);
  });

  it('does not lead to an address that may not be called, and shows nothing of us there', async () => {
    const other = await scene({ method: {} });
    const { call } = await scene({
      method: { pagination: { by: 'next', items: '/items', from: '/next' } },
      answer: () => ({ json: { items: [1], next: `${other.url}/admin` } }),
    });
    expect(errorOf(await call())).toMatchObject({ code: 'GLZ2010', class: 'rejected' });
    expect(other.seen).toEqual([]);
    const posted = await scene({
      method: { body: '${params}', pagination: { by: 'next', items: '/items', from: '/next' } },
      answer: () => ({ json: { items: [1], next: 'https://example.org/' } }),
    });
    expect(errorOf(await posted.call()).message).toContain('with what was sent');
  });

  it('is asked for by a cursor, in the query or in the body', async () => {
    const answer = (_: unknown, count: number) => ({
      json: { items: [count], meta: { cursor: count < 3 ? `c${count}` : '' } },
    });
    const byQuery = await scene({
      method: { pagination: { by: 'cursor', items: '/items', from: '/meta/cursor', query: 'after' }, result },
      answer,
    });
    expect(resultOf(await byQuery.call())).toMatchObject({ items: [1, 2, 3] });
    expect(byQuery.seen.map(({ query }) => query)).toEqual(['', 'after=c1', 'after=c2']);
    const byBody = await scene({
      method: {
        body: { q: 'a', page: { size: 1 } },
        pagination: { by: 'cursor', items: '/items', from: '/meta/cursor', body: '/page/after' },
      },
      answer,
    });
    await byBody.call();
    expect(byBody.seen.map(({ body }) => JSON.parse(body))).toEqual([
      { q: 'a', page: { size: 1 } },
      { q: 'a', page: { size: 1, after: 'c1' } },
      { q: 'a', page: { size: 1, after: 'c2' } },
    ]);
  });

  it('is asked for by number until a page is empty', async () => {
    const { call, seen } = await scene({
      method: { pagination: { by: 'page', items: '/items', query: 'p', start: 0 }, result },
      answer: (_, count) => ({ json: { items: count < 3 ? [count] : [] } }),
    });
    expect(resultOf(await call())).toEqual({ items: [1, 2], count: 3, complete: true });
    expect(seen.map(({ query }) => query)).toEqual(['p=0', 'p=1', 'p=2']);
  });

  it('is asked for by offset until a page is short, or the service says that there is no more', async () => {
    const method = { pagination: { by: 'offset', items: '/items', query: 'from', size: 2 }, result };
    const short = await scene({
      method,
      answer: (_, count) => ({ json: { items: count < 3 ? [count, 0] : [count] } }),
    });
    expect(resultOf(await short.call())).toMatchObject({ items: [1, 0, 2, 0, 3], count: 3 });
    expect(short.seen.map(({ query }) => query)).toEqual(['from=0', 'from=2', 'from=4']);
    const said = await scene({
      method: { pagination: { by: 'offset', items: '/items', query: 'from', more: '/more' } },
      answer: (_, count) => ({ json: { items: [count], more: count < 2 } }),
    });
    await said.call();
    expect(said.seen).toHaveLength(2);
  });

  it('ends at the number of pages that was allowed, and says so', async () => {
    const { call, seen } = await scene({
      method: { pagination: { by: 'page', items: '/items', query: 'p', max_pages: 2 }, result },
      answer: (_, count) => ({ json: { items: [count] } }),
    });
    expect(resultOf(await call())).toEqual({ items: [1, 2], count: 2, complete: false });
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['the same address', { by: 'next', items: '/items', from: '/next' }],
    ['the same cursor', { by: 'cursor', items: '/items', from: '/next', query: 'c' }],
    ['the same page whatever number it is asked for', { by: 'page', items: '/items', query: 'p' }],
  ])('does not go round for ever: %s', async (_, pagination) => {
    const { call, seen } = await scene({
      method: { pagination: { ...pagination, max_pages: 100 } },
      answer: () => ({ json: { items: [1], next: '/again' } }),
    });
    expect(errorOf(await call())).toMatchObject({
      code: 'GLZ2005',
      message: expect.stringContaining('before'),
    });
    expect(seen.length).toBeLessThan(4);
  });

  it('is an error where a page is one, has no list, or names no address', async () => {
    const method = { pagination: { by: 'next', items: '/items', from: '/next' } };
    const late = await scene({
      method,
      answer: (_, count) =>
        count === 1 ? { json: { items: [1], next: '/b' } } : { status: 429, headers: { 'retry-after': '3' } },
    });
    expect(errorOf(await late.call())).toMatchObject({ class: 'rate_limit', data: { retry_after_ms: 3000 } });
    const listless = await scene({ method, answer: () => ({ json: { items: 'none' } }) });
    expect(errorOf(await listless.call()).message).toContain('no list');
    const odd = await scene({ method, answer: () => ({ json: { items: [], next: 'http://[' } }) });
    expect(errorOf(await odd.call()).message).toContain('an address that is none');
  });

  it('is not larger than a result may be', async () => {
    const { call, seen } = await scene({
      method: { pagination: { by: 'page', items: '/items', query: 'p', max_pages: 100 } },
      answer: (_, count) => ({ json: { items: [count, 'x'.repeat(3 * 1024 * 1024)] } }),
    });
    expect(errorOf(await call()).message).toContain('larger than a result may be');
    expect(seen).toHaveLength(3);
  });
});

describe('a Link header', () => {
  it.each([
    ['<https://a/?p=2>; rel="next"', 'https://a/?p=2'],
    ['<b>; rel=next', 'b'],
    ['<a>; rel="prev", <b>; title="x, y; z"; rel="next"', 'b'],
    ['<a>; REL="Next"', 'a'],
    ['<a>; rel="nextish"', undefined],
    ['', undefined],
  ])('%s', (header, address) => {
    expect(linkIn(header, 'next')).toBe(address);
  });

  it('may come in several lines', () => {
    expect(linkIn(['<a>; rel="prev"', '<b>; rel="next"'], 'next')).toBe('b');
    expect(linkIn(undefined, 'next')).toBeUndefined();
  });
});
