import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { manualTimers } from '../../rpc/websocket/manual-timers.suite.ts';
import { type Asked, numbered, outcomeOf } from './service.suite.ts';
import { stage } from './stage.suite.ts';

const many = Array.from({ length: 100 }, (_, n) => n);

describe('an access token', () => {
  it('is asked for once, by however many calls at a time', async () => {
    const { call, calls, tokens } = await stage({});
    const outcomes = await Promise.all(many.map(() => call()));
    expect(new Set(outcomes)).toEqual(new Set(['in']));
    await call();
    expect([tokens.length, calls.length]).toEqual([1, 101]);
    expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer token-1']));
  });

  it('is asked for in the words of RFC 6749: the client in a header, each part encoded', async () => {
    const { call, tokens } = await stage({}, { auth: { scope: 'a b', audience: 'https://api' } });
    await call();
    const [asked] = tokens;
    const pair = Buffer.from(String(asked?.headers.authorization).replace('Basic ', ''), 'base64').toString();
    expect(pair).toBe('me:s%20e%3Acret');
    expect(asked?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(fieldsOf(asked)).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
      audience: 'https://api',
    });
  });

  it('is asked for with the client in the body, where the endpoint wants that', async () => {
    const { call, tokens } = await stage({}, { auth: { style: 'body' } });
    await call();
    expect(tokens[0]?.headers.authorization).toBeUndefined();
    const grant_type = 'client_credentials';
    expect(fieldsOf(tokens[0])).toEqual({ grant_type, client_id: 'me', client_secret: 's e:cret' });
  });

  it('is replaced shortly before it ends, once, and calls go on with it meanwhile', async () => {
    const renewed = Promise.withResolvers<void>();
    const give = numbered(3600);
    const token = async (asked: Asked) => {
      const given = await give(asked);
      if (tokens.length > 1) await renewed.promise;
      return given;
    };
    const { call, pass, tokens, shown } = await stage({ token });
    await call();
    pass(3600_000 - 61_000);
    await call();
    expect(tokens).toHaveLength(1);
    pass(2_000);
    await Promise.all(many.map(() => call()));
    renewed.resolve();
    while (shown().at(-1) !== '2') await call();
    expect(tokens).toHaveLength(2);
    expect(new Set(shown().slice(0, 102))).toEqual(new Set(['1']));
  });

  it('is not used once it has ended: calls wait for the next', async () => {
    const { call, pass, shown } = await stage({});
    await call();
    pass(3600_000);
    expect(await Promise.all([call(), call()])).toEqual(['in', 'in']);
    expect(shown()).toEqual(['1', '2', '2']);
  });

  it('that is still good outlasts an endpoint that is away', async () => {
    let away = false;
    const give = numbered(3600);
    const { call, pass, tokens } = await stage({
      token: (asked) => (away ? { status: 503 } : give(asked)),
    });
    await call();
    away = true;
    pass(3600_000 - 30_000);
    expect(await call()).toBe('in');
    while (tokens.length < 2) await call();
    pass(29_000);
    expect(await call()).toMatch(/^GLZ2001: no access token from .*HTTP 503/);
  });

  it.each([
    [null, 300],
    ['60', 60],
    ['soon', 300],
    [1e9, 86_400],
  ])('whose end is given as %j is good for %d s', async (expires_in, seconds) => {
    const { call, pass, shown } = await stage({ token: numbered(expires_in) });
    await call();
    pass(seconds * 700);
    await call();
    expect(shown()).toEqual(['1', '1']);
    pass(seconds * 300);
    await call();
    expect(shown().at(-1)).not.toBe('1');
  });

  it('that is good for no time at all is good for those who waited for it', async () => {
    const { call, shown } = await stage({ token: numbered(0) });
    expect([await call(), await call()]).toEqual(['in', 'in']);
    expect(shown()).toEqual(['1', '2']);
  });

  it('is asked for anew when the secret of the client has changed', async () => {
    let secret = 'first';
    const { call, shown, tokens } = await stage(
      {},
      { auth: { style: 'body' }, parts: { secrets: () => secret } },
    );
    await call();
    secret = 'second';
    await call();
    expect(shown()).toEqual(['1', '2']);
    expect(tokens.map((asked) => fieldsOf(asked)['client_secret'])).toEqual(['first', 'second']);
  });

  it('leaves nothing behind on the signal of a call that waited for it', async () => {
    const { provider } = await stage({});
    const { signal } = new AbortController();
    const before = getEventListeners(signal, 'abort').length;
    expect(await outcomeOf(provider, signal)).toBe('in');
    expect(getEventListeners(signal, 'abort')).toHaveLength(before);
  });
});

describe('a token endpoint that gives none', () => {
  it.each([
    [{ status: 401, body: { error: 'invalid_client' } }, 'GLZ2010', /HTTP 401, invalid_client$/],
    [
      { status: 400, body: { error: 'invalid_scope', error_description: 'no\nsuch scope' } },
      'GLZ2010',
      /HTTP 400, invalid_scope \(no such scope\)$/,
    ],
    [{ status: 503, body: '<html>' }, 'GLZ2001', /HTTP 503$/],
    [{ status: 429, headers: { 'retry-after': '7' } }, 'GLZ2004', /HTTP 429$/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'GLZ2010', /redirects are not followed$/],
    [{ body: 'it works' }, 'GLZ2002', /is no object of JSON$/],
    [{ body: [] }, 'GLZ2002', /is no object of JSON$/],
    [{ body: {} }, 'GLZ2005', /has no access_token$/],
    [{ body: { access_token: 'a b' } }, 'GLZ2005', /no header can carry$/],
    [{ body: { access_token: 'x'.repeat(17_000) } }, 'GLZ2005', /longer than 16384 characters$/],
    [{ body: { access_token: 'a', token_type: 'mac' } }, 'GLZ2005', /other than Bearer$/],
    [{ body: 'x'.repeat(65_537) }, 'GLZ2002', /larger than 65536 bytes$/],
  ])('and says %j fails the call with %s', async (said, code, words) => {
    const { call, calls } = await stage({ token: () => said });
    const outcome = await call();
    expect(outcome).toMatch(new RegExp(`^${code}: no access token`));
    expect(outcome).toMatch(words);
    expect(calls).toEqual([]);
  });

  it('is not there', async () => {
    const { call } = await stage({}, { auth: { token_url: 'http://127.0.0.1:1/token?key=hidden' } });
    expect(await call()).toBe(
      'GLZ2002: no access token: http://127.0.0.1:1/token refused the connection: nothing listens there',
    );
  });

  it('is not asked with every call: for a second, or as long as it asks for, its answer stands', async () => {
    let said: { status: number; headers: Record<string, string> } = { status: 500, headers: {} };
    const { call, tokens, pass } = await stage({ token: () => said });
    await Promise.all(many.map(() => call()));
    expect(await call()).toMatch(/^GLZ2001/);
    expect(tokens).toHaveLength(1);
    said = { status: 503, headers: { 'retry-after': '20' } };
    pass(1_000);
    await call();
    pass(19_000);
    await call();
    expect(tokens).toHaveLength(2);
    pass(1_000);
    await call();
    expect(tokens).toHaveLength(3);
  });

  it('has ten seconds', async () => {
    const timers = manualTimers();
    const { call } = await stage({ token: () => new Promise(() => {}) }, { parts: { timers } });
    const outcome = call();
    await timers.set(10_000);
    timers.pass(10_000);
    expect(await outcome).toMatch(/^GLZ2003: no access token: .* did not answer within 10 s$/);
    expect(timers.waiting).toEqual([]);
  });

  it('does not hold a call that is given up; others go on waiting', async () => {
    const given = Promise.withResolvers<void>();
    const give = numbered();
    const { call, tokens } = await stage({
      token: async (asked) => {
        await given.promise;
        return give(asked);
      },
    });
    const end = new AbortController();
    const patient = call();
    const hasty = call(end.signal);
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(await hasty).toBe('GLZ2009: cancelled');
    expect(await call(end.signal)).toBe('GLZ2009: cancelled');
    given.resolve();
    expect(await patient).toBe('in');
    expect(tokens).toHaveLength(1);
  });

  it.each(['jsonrpc-http', 'jsonrpc-ws'])('is left when the provider is closed, over %s', async (type) => {
    const asked = Promise.withResolvers<void>();
    const token = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const timers = manualTimers();
    const { call, provider } = await stage({ token }, { type, parts: { timers } });
    const outcome = call();
    await asked.promise;
    await provider.close?.();
    expect(await outcome).toMatch(/^GLZ2002: /);
    expect(timers.waiting).toEqual([]);
  });
});

function fieldsOf(asked: Asked | undefined): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(asked?.body));
}
