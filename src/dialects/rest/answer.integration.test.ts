import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import type { Reply } from './peer.suite.ts';
import { endScenes, errorOf, resultOf, scene } from './scene.suite.ts';

afterEach(endScenes);

async function answered(reply: Reply, method: object = {}, config = {}) {
  const { call } = await scene({ method, answer: () => reply, config });
  return call({ q: 'asked' });
}

const typed = (type: string, body: string | Buffer) => ({ body, headers: { 'content-type': type } });

describe('an answer', () => {
  it.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/json; charset=utf-8', '"ü"', 'ü'],
    ['application/problem+json', '[]', []],
    ['APPLICATION/VND.API+JSON', '1', 1],
    ['text/json', 'null', null],
    ['application/json', '\ufeff{"a":1}', { a: 1 }],
    ['application/json', '', null],
  ])('that is %s is JSON', async (type, body, value) => {
    expect(resultOf(await answered(typed(type, body)))).toEqual(value);
  });

  it('that does not say what it is, is taken at our word', async () => {
    expect(resultOf(await answered({ body: '{"a":1}' }))).toEqual({ a: 1 });
    expect(resultOf(await answered({ status: 204 }))).toBeNull();
  });

  it.each([
    ['text/html', '<h1>Welcome</h1>', 'with text/html instead of JSON: <h1>Welcome</h1>'],
    ['text/plain', '{"a":1}', 'with text/plain instead of JSON'],
    ['image/png', Buffer.alloc(9, 0xff), 'its body is no text (9 bytes)'],
    ['application/json', '{"a":', 'with something that is no JSON'],
    ['application/json', '['.repeat(200), 'nested deeper than 128 levels'],
    ['application/json', Buffer.from([0x22, 0xff, 0x22]), 'is no JSON'],
  ])('that is %s is none: %s', async (type, body, words) => {
    const error = errorOf(await answered(typed(type, body)));
    expect(error).toMatchObject({ code: 'GLZ2005', class: 'rejected' });
    expect(error.message).toContain(words);
  });

  it('in an encoding that nobody asked for is none', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const error = errorOf(await answered({ body: gzipSync('{}'), headers }));
    expect(error.message).toContain('in an encoding that was not asked for');
  });

  it('can be of a type that is named', async () => {
    const method = { content_types: ['application/x-javascript'] };
    expect(resultOf(await answered(typed('application/x-javascript', '{"a":1}'), method))).toEqual({ a: 1 });
  });

  it('can be text, in the alphabet it says', async () => {
    const method = { answer: 'text', result: { text: '' } };
    expect(resultOf(await answered(typed('text/plain', 'ü'), method))).toEqual({ text: 'ü' });
    const latin = typed('text/html; charset="ISO-8859-1"', Buffer.from([0xfc]));
    expect(resultOf(await answered(latin, method))).toEqual({ text: 'ü' });
    expect(errorOf(await answered(typed('image/png', 'x'), method)).message).toContain('instead of text');
    const broken = typed('text/plain', Buffer.from([0xff]));
    expect(errorOf(await answered(broken, method)).message).toContain('no text in utf-8');
    expect(errorOf(await answered(typed('text/plain; charset=klingon', 'x'), method)).message).toContain(
      'klingon',
    );
  });

  it('can be bytes, as many as may be kept, or of no interest', async () => {
    const bytes = typed('image/png', Buffer.from([0, 255]));
    const expected = { base64: 'AP8=', content_type: 'image/png', size: 2 };
    expect(resultOf(await answered(bytes, { answer: 'binary' }))).toEqual(expected);
    const large = typed('image/png', Buffer.alloc(100));
    const error = errorOf(await answered(large, { answer: 'binary', max_bytes: 99 }));
    expect(error).toMatchObject({
      code: 'GLZ2005',
      message: expect.stringContaining('larger than 99 bytes'),
    });
    expect(resultOf(await answered(typed('text/html', '<p>'), { answer: 'none' }))).toBeNull();
  });

  it('to HEAD may tell of more than may be kept', async () => {
    const { call } = await scene({
      method: { method: 'HEAD', path: '/file', answer: 'none', result: '${http.headers["content-length"]}' },
      answer: () => ({ headers: { 'content-length': '100000000' } }),
    });
    expect(resultOf(await call())).toBe('100000000');
  });

  it('becomes what the mapping makes of it, or is an error where it finds nothing', async () => {
    const json = { data: { items: [{ name: 'a', tags: ['x'] }, { name: 'b' }] }, n: 2 };
    const make = async (result: Json) => resultOf(await answered({ json }, { result }));
    expect(await make('/data/items/1/name')).toBe('b');
    expect(
      await make({ results: { each: '/data/items', as: { title: '/name', q: '${params.q}' } } }),
    ).toEqual({
      results: [
        { title: 'a', q: 'asked' },
        { title: 'b', q: 'asked' },
      ],
    });
    expect(await make('${answer.n} for ${params.q}, ${http.status}')).toBe('2 for asked, 200');
    expect(errorOf(await answered({ json }, { result: '/data/nothing' }))).toMatchObject({
      code: 'GLZ2005',
      message: expect.stringContaining('has nothing where the mapping looks'),
    });
    expect(errorOf(await answered({ json }, { result: { each: '/n' } })).message).toContain(
      'instead of a list',
    );
  });

  it('tells what the call used up', async () => {
    const usage = { input_tokens: '/usage/in', output_tokens: '/usage/out' };
    const answer = await answered(
      { json: { usage: { in: 3, out: 'many' } } },
      { usage, result: { const: 1 } },
    );
    expect(answer).toEqual({ word: 'done', result: '1', usage: { input_tokens: 3 } });
  });
});

describe('an error', () => {
  it.each([
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'timeout'],
    [425, 'server'],
    [429, 'rate_limit'],
    [500, 'server'],
    [503, 'server'],
  ])('by HTTP %d is %s', async (status, kind) => {
    expect(errorOf(await answered({ status, json: {} })).class).toBe(kind);
  });

  it.each([
    [{ error: { message: 'why' } }],
    [{ error: 'why' }],
    [{ message: 'why' }],
    [{ detail: 'why' }],
    [{ title: 'why', type: 'about:blank' }],
    [{ errors: [{ message: 'why' }] }],
    [{ errors: ['why'] }],
    [{ error: { code: 'x' }, error_description: 'why' }],
  ])('is told in the words of the service: %j', async (json) => {
    expect(errorOf(await answered({ status: 400, json })).message).toBe('why');
  });

  it('without words is told with its status, its place and its beginning', async () => {
    const error = errorOf(await answered({ status: 502, ...typed('text/html', '<p>Bad\n gateway') }));
    expect(error.message).toMatch(/^http:\/\/127.0.0.1:\d+\/ answered HTTP 502: <p>Bad gateway$/);
    expect(error.data).toMatchObject({ details: { http_status: 502 } });
    expect(errorOf(await answered({ status: 403 })).data.hint).toContain('check the auth');
  });

  it('says when to come again', async () => {
    const error = errorOf(await answered({ status: 503, headers: { 'retry-after': '7' } }));
    expect(error.data.retry_after_ms).toBe(7000);
  });

  const rules = [
    { status: [404, 410], class: 'server' },
    {
      at: '/error/code',
      is: ['quota', 7],
      class: 'rate_limit',
      message: '/error/text',
      retry_after: '/error/wait',
    },
    { at: '/ok', is: false, message: '/text' },
    { at: '/warning', class: 'timeout' },
  ];

  it.each([
    [{ status: 404, json: {} }, 'server', /HTTP 404/],
    [
      { status: 400, json: { error: { code: 'quota', text: 'slow down', wait: 1.5 } } },
      'rate_limit',
      /^slow down$/,
    ],
    [{ status: 400, json: { error: { code: 7 } } }, 'rate_limit', /HTTP 400/],
    [{ status: 400, json: { error: { code: 8, message: 'no' } } }, 'rejected', /^no$/],
    [{ status: 200, json: { ok: false, text: 'not ok' } }, 'rejected', /^not ok$/],
    [{ status: 200, json: { warning: 'late' } }, 'timeout', /HTTP 200/],
  ])('is what the rules say: %j', async (reply, kind, words) => {
    const error = errorOf(await answered(reply, { errors: rules }));
    expect(error.class).toBe(kind);
    expect(error.message).toMatch(words);
    const common = errorOf(await answered(reply, {}, { errors: rules }));
    expect(common.class).toBe(kind);
  });

  it('by a rule says when to come again; rules of the method come first', async () => {
    const headers = { 'retry-after': '9' };
    const reply = { status: 400, headers, json: { error: { code: 'quota', wait: 1.5 } } };
    expect(errorOf(await answered(reply, { errors: rules })).data.retry_after_ms).toBe(1500);
    const own = [{ status: 400, class: 'server' }];
    expect(errorOf(await answered(reply, { errors: own }, { errors: rules })).class).toBe('server');
  });

  it('is none where no rule fits, or where its status was said to be fine', async () => {
    expect(resultOf(await answered({ json: { ok: true, warning: '' } }, { errors: rules }))).toMatchObject({
      ok: true,
    });
    expect(resultOf(await answered({ status: 404, json: { a: 1 } }, { ok: [404] }))).toEqual({ a: 1 });
    const anything = [{ message: '/deep/why' }];
    expect(
      errorOf(await answered({ status: 400, json: { deep: { why: 'so' } } }, { errors: anything })).message,
    ).toBe('so');
  });

  it('is a redirect that may not be followed', async () => {
    const away = { status: 302, headers: { location: '/else' } };
    expect(errorOf(await answered(away))).toMatchObject({
      code: 'GLZ2010',
      message: expect.stringContaining('redirects to /else'),
    });
  });
});

it('one answer may take as long as the provider says', async () => {
  const { call } = await scene({ method: {}, answer: () => null, config: { timeout: '30ms' } });
  expect(errorOf(await call())).toMatchObject({
    code: 'GLZ2003',
    message: expect.stringContaining('0.03 s'),
  });
});
