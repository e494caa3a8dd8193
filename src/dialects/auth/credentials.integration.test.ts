import { afterEach, describe, expect, it } from 'vitest';
import { direct } from '../dialect.suite.ts';
import { type Asked, openProvider, outcomeOf, startService, type Target } from './service.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function service(parts: Parameters<typeof startService>[0] = {}) {
  const started = await startService(parts);
  ends.push(started.stop);
  return started;
}

function open(target: Target, parts: Parameters<typeof openProvider>[1] = {}) {
  const provider = openProvider(target, parts);
  ends.push(async () => provider.close?.());
  return provider;
}

const secret = 'a&b=c d/ü?';
const basic = `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`;

const ways: readonly [string, object, (asked: Asked) => unknown, unknown][] = [
  [
    'a key in a header',
    { type: 'api_key', header: 'X-Api-Key', value: '${secrets.key}' },
    ({ headers }) => headers['x-api-key'],
    'a-key',
  ],
  [
    'a key in a header, behind a word',
    { type: 'api_key', header: 'Authorization', value: 'ApiKey ${secrets.key}' },
    ({ headers }) => headers.authorization,
    'ApiKey a-key',
  ],
  [
    'a key in the query',
    { type: 'api_key', query: 'api key', value: '${secrets.odd}' },
    ({ path }) => [...new URL(path, 'http://a').searchParams],
    [['api key', secret]],
  ],
  [
    'a token',
    { type: 'bearer', token: '${secrets.key}' },
    ({ headers }) => headers.authorization,
    'Bearer a-key',
  ],
  [
    'a name and a password',
    { type: 'basic', username: 'me', password: '${secrets.odd}' },
    ({ headers }) => headers.authorization,
    basic,
  ],
];

const secrets = (name: string) => (name === 'odd' ? secret : 'a-key');

describe('what a service is shown of who calls', () => {
  it.each(ways)('is %s, over HTTP and over WebSocket', async (_, auth, read, shown) => {
    const { url, socket_url, calls } = await service();
    for (const target of [{ url }, { type: 'jsonrpc-ws', url: socket_url }])
      expect(await outcomeOf(open({ ...target, auth }, { secrets }))).toBe('in');
    expect(calls.map(read)).toEqual([shown, shown]);
  });

  it('stands beside what the query of the address has already', async () => {
    const { url, socket_url, calls } = await service();
    const auth = { type: 'api_key', query: 'key', value: '${secrets.key}' };
    for (const target of [{ url }, { type: 'jsonrpc-ws', url: socket_url }])
      await outcomeOf(open({ ...target, url: `${target.url}?zone=1`, auth }, { secrets }));
    expect(calls.map(({ path }) => path)).toEqual(['/rpc?zone=1&key=a-key', '/rpc?zone=1&key=a-key']);
  });

  it('is the secret as it is now: with every call, and with every connection', async () => {
    const { url, socket_url, calls } = await service();
    let key = 'first';
    const auth = { type: 'bearer', token: '${secrets.key}' };
    const provider = open({ url, auth }, { secrets: () => key });
    const duplex = open({ type: 'jsonrpc-ws', url: socket_url, auth }, { secrets: () => key });
    for (const each of [provider, duplex]) await outcomeOf(each);
    key = 'second';
    await outcomeOf(provider);
    await direct(duplex, { do: 'cut' });
    await outcomeOf(duplex);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
      'Bearer second',
    ]);
  });

  it('is not repeated in an error either, without the spaces that stood around it and were not sent', async () => {
    const { url } = await service({ door: () => 401 });
    const auth = { type: 'bearer', token: '${secrets.key}' };
    const outcome = await outcomeOf(open({ url, auth }, { secrets: () => ' k3y ' }));
    expect(outcome).toMatch(/no entry for Bearer /);
    expect(outcome).not.toContain('k3y');
  });

  it('is not shown a second time where it was refused', async () => {
    const { url, socket_url, calls } = await service({ door: () => 401 });
    const auth = { type: 'bearer', token: '${secrets.key}' };
    for (const target of [{ url }, { type: 'jsonrpc-ws', url: socket_url }])
      expect(await outcomeOf(open({ ...target, auth }, { secrets }))).toMatch(/^GLZ2010: .*HTTP 401/);
    expect(calls).toHaveLength(2);
  });

  it.each([
    ['a line break', { type: 'bearer', token: '${secrets.key}' }, 'a\nb', 'auth.token'],
    [
      'a line break',
      { type: 'api_key', header: 'X-Key', value: '${secrets.key}' },
      'a\r\nb: c',
      'auth.value',
    ],
    [
      'a colon',
      { type: 'basic', username: '${secrets.key}', password: '${secrets.key}' },
      'a:b',
      'auth.username',
    ],
    ['half a character', { type: 'api_key', query: 'k', value: '${secrets.key}' }, 'a\ud800', 'auth.value'],
  ])('is nothing where the secret holds %s, and that is told without it', async (_, auth, value, field) => {
    const { url, calls } = await service();
    const said = await outcomeOf(open({ url, auth }, { secrets: () => value }));
    expect(said).toMatch(/^GLZ3010: the secret for /);
    expect(said).toContain(field);
    expect(said).not.toContain(value);
    expect(calls).toEqual([]);
  });
});
