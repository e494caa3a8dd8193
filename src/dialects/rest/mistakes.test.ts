import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { checkProvider } from '../registry.ts';

function check(method: object, config: object = {}) {
  const whole = { url: 'https://api.example.org/v1', methods: { act: method }, ...config };
  checkProvider({ id: 'api', protocol: 'act/v1', type: 'rest', config: whole }, { methods: ['act'] });
}

function mistake(method: object, config: object = {}): string {
  try {
    check(method, config);
  } catch (thrown) {
    const { code, message } = GleitzeitError.from(thrown);
    return `${code} ${message}`;
  }
  throw new Error('nothing was found wrong');
}

const poll = { path: '/jobs/${answer.id}', until: { at: '/done', is: true } };
const pagination = { by: 'page', items: '/items', query: 'p' };

describe('a mapping that cannot be meant is noticed when it is read', () => {
  it.each<[object, string]>([
    [{ path: 'users' }, '/path: must be a path that begins with /'],
    [{ path: '/users?id=1' }, '/path: holds a query'],
    [{ path: '/users#top' }, '/path: holds a #'],
    [{ path: '/a/../b' }, '/path: has . or .. in it'],
    [{ path: '/a/%2E%2e/b' }, '/path: has . or .. in it'],
    [{ path: '/users/${parms.id}' }, '/path: nothing is called "parms" here'],
    [{ path: '/users/${params.id' }, '/path: the reference is never closed'],
    [{ path: '/a', url: '${params.url}' }, '/path: stands beside url'],
    [{ url: 'https://example.org/' }, '/url: must be a reference to a param'],
    [{ url: 'https://${params.host}/' }, '/url: must be a reference to a param'],
    [{ query: { q: '${answer.a}' } }, '/query/q: nothing is called "answer" here'],
    [{ headers: { 'a b': 'x' } }, '/headers/a b: is no name of a header'],
    [{ method: 'GET', body: {} }, '/method: GET sends nothing'],
    [{ body: {}, form: {} }, '/form: is sent instead of body'],
    [{ body: { a: ['${secrets.a.b}'] } }, '/body/a/0: a secret is called by its name alone'],
    [{ result: { a: '${secrets.key}' } }, '/result/a: nothing is called "secrets" here'],
    [{ result: { each: 'items' } }, '/result/each: "items" is no JSON pointer'],
    [{ errors: [{ is: 1 }] }, '/errors/0/at: is missing'],
    [{ errors: [{ status: [99] }] }, '/errors/0/status: must be a status from 200 to 599'],
    [{ errors: [{ at: 'code' }] }, '/errors/0/at: must be a JSON pointer'],
    [{ pagination, poll }, '/poll: stands beside pagination'],
    [{ pagination: { by: 'next', items: '/a' } }, '/pagination/from: is missing'],
    [{ pagination: { by: 'next', items: '/a', from: '/b', query: 'c' } }, '/pagination/query: is of no use'],
    [{ pagination: { by: 'cursor', items: '/a', query: 'c' } }, '/pagination/from: is missing'],
    [{ pagination: { by: 'cursor', items: '/a', from: 'link', query: 'c' } }, '/pagination/from: is missing'],
    [{ pagination: { by: 'cursor', items: '/a', from: '/b' } }, '/pagination/query: is missing'],
    [{ pagination: { ...pagination, body: '/p' } }, '/pagination/body: stands beside query'],
    [{ pagination: { ...pagination, by: 'magic' } }, '/pagination/by: must be one of next, cursor'],
    [{ poll: { until: { at: '/a' } } }, '/poll/path: is missing'],
    [{ poll: { ...poll, url: '/u' } }, '/poll/path: is of no use'],
    [{ poll: { url: '/u', query: {}, until: { at: '/a' } } }, '/poll/query: is of no use'],
    [{ poll: { ...poll, until: {} } }, '/poll/until/at: is missing'],
    [{ poll: { ...poll, interval: 'soon' } }, '/poll/interval'],
    [{ poll: { ...poll, path: '/jobs/${answr.id}' } }, '/poll/path: nothing is called "answr" here'],
    [{ answer: 'xml' }, '/answer: must be one of json, text, binary, none'],
    [{ pth: '/a' }, '/pth: unknown key "pth"'],
  ])('%j', (method, words) => {
    expect(mistake(method)).toContain(`GLZ1012 /config/methods/act${words}`);
  });

  it('also where it concerns the whole service', () => {
    expect(mistake({}, { methods: { atc: {} } })).toContain('the protocol has no method "atc"');
    expect(mistake({}, { url: 'ftp://a' })).toContain('/config/url: must be an address');
    expect(mistake({}, { errors: [{ is: 1 }] })).toContain('/config/errors/0/at: is missing');
    expect(mistake({}, { idempotency: 'a b' })).toContain(
      '/config/idempotency: must be the name of a header',
    );
    expect(mistake({}, { headers: { a: '${params.x}' } })).toContain('cannot be filled in here');
  });

  it('and what can be meant is taken', () => {
    expect(() => check({ path: '/a/${params.x ?? "y"}/b.c', query: { a: '${params}' }, poll })).not.toThrow();
    expect(() => check({ pagination, result: { a: '/items' } })).not.toThrow();
  });
});
