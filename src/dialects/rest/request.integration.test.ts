import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Seen } from './peer.suite.ts';
import { endScenes, errorOf, resultOf, scene } from './scene.suite.ts';

afterEach(endScenes);

async function sent(method: object, params: JsonObject = {}, config: JsonObject = {}) {
  const { call, seen } = await scene({ method, config });
  const answer = await call(params);
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  const [one] = seen;
  if (one === undefined) throw new Error('nothing was sent');
  return one;
}

async function refused(method: object, params: JsonObject) {
  const { call, seen } = await scene({ method });
  const error = errorOf(await call(params));
  expect(seen).toEqual([]);
  return error;
}

describe('the path of a request', () => {
  it.each([
    ['/users/${params.id}', { id: 7 }, '/users/7'],
    ['/users/${params.id}', { id: 'a/b?c#d e%2e' }, '/users/a%2Fb%3Fc%23d%20e%252e'],
    ['/files/${params.path}', { path: ['a b', 'c/d'] }, '/files/a%20b/c%2Fd'],
    ['/${params.a}-${params.b ?? "x"}.json', { a: 'é' }, '/%C3%A9-x.json'],
    ['/plain', {}, '/plain'],
    ['/in/${params["odd key"].deep[0]}', { 'odd key': { deep: [true] } }, '/in/true'],
    ['/calls/${call.id}', {}, '/calls/call-1'],
  ])('%s', async (path, params, expected) => {
    expect((await sent({ path }, params as unknown as JsonObject)).path).toBe(expected);
  });

  it.each([
    ['..', 'made of dots'],
    ['.', 'made of dots'],
    ['', 'is empty'],
    [{ a: 1 }, 'no text or number'],
    ['\ud800', 'half a character'],
    [[], 'no text or number'],
  ])('does not lead elsewhere by %j', async (id, words) => {
    const error = await refused({ path: '/users/${params.id}/keys' }, { id } as unknown as JsonObject);
    expect(error.class).toBe('invalid');
    expect(error.message).toContain(words);
  });

  it('needs what it is made of', async () => {
    const error = await refused({ path: '/users/${params.id}' }, {});
    expect(error).toMatchObject({ code: 'GLZ2006', class: 'rejected' });
  });

  it('is added to the address of the service, with its query', async () => {
    const { call, url, seen } = await scene({ method: { path: '/a', query: { q: 1 } } });
    await call();
    expect(seen[0]).toMatchObject({ path: '/a', query: 'q=1' });
    const below = await scene({ method: { path: '/a', query: { q: 1 } }, config: { url: `${url}/v1/?v=2` } });
    await below.call();
    expect(seen[1]).toMatchObject({ path: '/v1/a', query: 'v=2&q=1' });
  });
});

describe('the query of a request', () => {
  it('has what there is, escaped, and lists word by word', async () => {
    const query = {
      q: '${params.q}',
      tag: '${params.tags}',
      limit: '${params.limit ?? 10}',
      left_out: '${params.nothing}',
      none: '${params.none}',
      flag: true,
      both: '${params.q}/${params.limit ?? 1}',
      filter: { a: '${params.q}' },
    };
    const params = { q: 'a&b=ü', tags: ['x', 'y z'], none: null };
    expect((await sent({ query }, params)).query).toBe(
      'q=a%26b%3D%C3%BC&tag=x&tag=y%20z&limit=10&flag=true&both=a%26b%3D%C3%BC%2F1&filter=%7B%22a%22%3A%22a%26b%3D%C3%BC%22%7D',
    );
  });
});

describe('what is sent with a request', () => {
  it('is JSON with the types of what is filled in', async () => {
    const body = {
      text: '${params.text}',
      n: '${params.n}',
      list: ['${params.n}', '${params.gone}'],
      gone: '${params.gone}',
    };
    const one = await sent({ path: '/x', body }, { text: 'a', n: 3 });
    expect(one.method).toBe('POST');
    expect(one.headers['content-type']).toBe('application/json');
    expect(JSON.parse(one.body)).toEqual({ text: 'a', n: 3, list: [3, null] });
    expect((await sent({ body: '${params}' }, { a: 1 })).body).toBe('{"a":1}');
    expect((await sent({ method: 'PUT', body: [1] })).body).toBe('[1]');
  });

  it('is a form, text, or bytes', async () => {
    const form = await sent({ form: { a: '${params.a}', b: [1, 2] } }, { a: 'x y&z' });
    expect(form.body).toBe('a=x%20y%26z&b=1&b=2');
    expect(form.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const text = await sent({ text: 'say ${params.a}' }, { a: 'ü' });
    expect(text).toMatchObject({ body: 'say ü', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    const bytes = await sent(
      { binary: '${params.data}', headers: { 'Content-Type': 'audio/wav' } },
      { data: 'aGVsbG8=' },
    );
    expect(bytes).toMatchObject({ body: 'hello', headers: { 'content-type': 'audio/wav' } });
    expect((await refused({ binary: '${params.data}' }, { data: 'no base64!' })).message).toContain(
      'no base64',
    );
  });

  it('is a form in several parts', async () => {
    const multipart = {
      model: 'm-${params.size}',
      nothing: '${params.nothing}',
      file: { base64: '${params.data}', filename: 'a"b\r\n.wav', type: 'audio/wav' },
    };
    const one = await sent({ multipart }, { size: 1, data: 'aGVsbG8=' });
    const boundary = /boundary=(.*)$/.exec(one.headers['content-type'] ?? '')?.[1];
    expect(one.body).toBe(
      [
        `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nm-1`,
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a%22b%0D%0A.wav"\r\ncontent-type: audio/wav\r\n\r\nhello`,
        `--${boundary}--\r\n`,
      ].join('\r\n'),
    );
    const read = await new Response(one.body, {
      headers: { 'content-type': one.headers['content-type'] ?? '' },
    }).formData();
    expect(read.get('model')).toBe('m-1');
    const { message } = await refused({ multipart }, { size: 1 });
    expect(message).toContain('/config/methods/act/multipart/file: there is nothing to fill in');
  });
});

describe('the headers of a request', () => {
  it('are those of the provider, of the method and of the call', async () => {
    const { call, seen } = await scene({
      method: {
        method: 'POST',
        headers: { 'X-Lang': '${params.lang}', 'X-Gone': '${params.gone}', 'X-B': 'method' },
      },
      config: {
        headers: {
          Authorization: 'Bearer ${secrets.key}',
          'X-B': 'provider',
          Accept: 'application/vnd.a+json',
        },
        idempotency: 'Idempotency-Key',
      },
    });
    await call({ lang: 'de' }, { call_id: 'c-7', traceparent: '00-a-b-01' });
    const { headers } = seen[0] ?? {};
    expect(headers).toMatchObject({
      authorization: 'Bearer value-of-key',
      'x-lang': 'de',
      'x-b': 'method',
      accept: 'application/vnd.a+json',
      'idempotency-key': 'c-7',
      traceparent: '00-a-b-01',
    });
    expect(headers).not.toHaveProperty('x-gone');
  });

  it('do not name a call that changes nothing', async () => {
    const one = await sent({ path: '/a' }, {}, { idempotency: 'Idempotency-Key' });
    expect(one.headers).not.toHaveProperty('idempotency-key');
  });

  it('name each of several requests by itself: another body under the same name is another call', async () => {
    const config = { idempotency: 'Idempotency-Key' };
    const names = (seen: readonly Seen[]) => seen.map(({ headers }) => headers['idempotency-key']);
    const uploaded = await scene({
      method: { before: { path: '/upload', text: 'bytes' }, body: { from: '${before.id}' } },
      config,
    });
    await uploaded.call();
    expect(names(uploaded.seen)).toEqual(['call-1.before', 'call-1']);
    const paged = await scene({
      method: { body: {}, pagination: { by: 'cursor', items: '/items', from: '/next', body: '/after' } },
      answer: (_, count) => ({ json: { items: [count], next: count < 3 ? count : null } }),
      config,
    });
    await paged.call();
    expect(names(paged.seen)).toEqual(['call-1', 'call-1.2', 'call-1.3']);
    const polled = await scene({
      method: {
        body: {},
        poll: { path: '/state', method: 'POST', body: {}, until: { at: '/done' }, interval: 0.001 },
      },
      answer: (_, count) => ({ json: { done: count === 3 } }),
      config,
    });
    await polled.call();
    expect(names(polled.seen)).toEqual(['call-1', undefined, undefined]);
  });

  it('cannot be broken by what a task says', async () => {
    const error = await refused({ headers: { 'X-A': '${params.a}' } }, { a: 'x\r\nX-Evil: 1' });
    expect(error).toMatchObject({
      class: 'invalid',
      message: expect.stringContaining('no header can carry'),
    });
  });
});

describe('secrets', () => {
  it('can be filled in everywhere, as they are now, and stay out of errors', async () => {
    let key = 'hunter2';
    const { call, seen } = await scene({
      method: { path: '/k/${secrets.key}', query: { k: '${secrets.key}' }, body: { k: '${secrets.key}' } },
      answer: ({ body }) => ({ status: 400, json: { message: `no ${body}` } }),
      parts: { secrets: () => key },
    });
    expect(errorOf(await call()).message).toBe('no {"k":"[secret]"}');
    key = 'other-1';
    expect(errorOf(await call()).message).toBe('no {"k":"[secret]"}');
    expect(seen.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/k/hunter2?k=hunter2',
      '/k/other-1?k=other-1',
    ]);
  });
});

describe('an address out of the params', () => {
  it('is called only where that is public or allowed, and is shown nothing', async () => {
    const { call, url, seen } = await scene({ method: { url: '${params.url}', answer: 'text' } });
    for (const bad of [
      `${url}/admin`,
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'http://a:b@example.org/',
    ])
      expect(errorOf(await call({ url: bad }))).toMatchObject({ code: 'GLZ2010', class: 'rejected' });
    for (const bad of ['nonsense', 7])
      expect(errorOf(await call({ url: bad })).message).toContain('is no address');
    expect(errorOf(await call({})).code).toBe('GLZ2006');
    expect(seen).toEqual([]);
  });
});

it('the whole answer is the result where nothing else is said', async () => {
  const { call } = await scene({ method: {}, answer: () => ({ json: [1, { a: null }] }) });
  expect(resultOf(await call())).toEqual([1, { a: null }]);
});
