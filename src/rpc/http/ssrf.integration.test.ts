import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { addressGuard } from '../network/guard.ts';
import { names, PUBLIC, tricks } from '../network/tricks.suite.ts';
import { type WebClient, webClient } from './client.ts';
import { connectorFor } from './connect.ts';
import { closePeers, httpPeer, type Peer, rejectionOf, respond } from './peer.suite.ts';

let asked: string[];
let connected: string[];
let home: Peer;
let location: { status: number; to: string };
const opened: WebClient[] = [];

beforeEach(async () => {
  asked = [];
  connected = [];
  home = await httpPeer((_, response) => {
    respond(response, location.status, 'elsewhere', { location: location.to });
  });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
  await closePeers();
});

async function resolve(name: string): Promise<readonly string[]> {
  const turn = asked.filter((one) => one === name).length;
  asked.push(name);
  const answers = names[name];
  const answer = answers?.[Math.min(turn, answers.length - 1)];
  if (answer === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
  return answer;
}

/** Only the service itself is really connected to; every other connection is noted and refused. */
function open(allow: readonly string[] = [], redirects = 5): WebClient {
  const real = connectorFor({});
  const client = webClient({
    url: home.url,
    guard: addressGuard({ allow, resolve }),
    redirects,
    connector: (target, callback) => {
      if (Number(target.port) === home.port) return real(target, callback);
      connected.push(`${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`);
      callback(Object.assign(new Error('noted, and not connected'), { code: 'ECONNREFUSED' }), null);
    },
  });
  opened.push(client);
  return client;
}

const request = { headers: { authorization: 'Bearer hunter2', accept: '*/*' }, body: null, signal: null };

/** As a dialect does with an address out of the params of a task. */
async function call(client: WebClient, text: string): Promise<unknown> {
  const url = URL.parse(text);
  if (url === null) throw new GleitzeitError('GLZ2010', 'is no address');
  return client.request({ ...request, method: 'GET', url, max_bytes: 1000, foreign: true });
}

describe('an address that a caller names', () => {
  it('has more tricks than sixty', () => {
    expect(tricks.length).toBeGreaterThan(60);
    expect(new Set(tricks.map(([, url]) => url)).size).toBe(tricks.length);
  });

  it.each(tricks)('is refused: %s', async (_, url) => {
    const error = await rejectionOf(call(open(), url));
    expect(error.code).toBe('GLZ2010');
    expect(error.message).not.toContain('hunter2');
    expect(connected).toEqual([]);
  });

  it('is the service itself: no way around what the configuration shows it', async () => {
    expect((await rejectionOf(call(open(), home.url))).code).toBe('GLZ2010');
    expect(home.sockets).toEqual([]);
  });

  it('that is public is connected to as it was checked, by its address', async () => {
    for (const url of ['http://example.org/', 'https://example.org:8443/', 'http://93.184.216.34/'])
      expect((await rejectionOf(call(open(), url))).code).toBe('GLZ2002');
    expect(connected).toEqual([`${PUBLIC}:80`, `${PUBLIC}:8443`, `${PUBLIC}:80`]);
    expect(asked).toEqual(['example.org', 'example.org']);
  });

  it('that changes its answer is checked with every connection, and looked up once for each', async () => {
    const client = open();
    expect((await rejectionOf(call(client, 'http://rebinding.example/'))).code).toBe('GLZ2002');
    expect(asked).toEqual(['rebinding.example']);
    expect((await rejectionOf(call(client, 'http://rebinding.example/'))).code).toBe('GLZ2010');
    expect(connected).toEqual([`${PUBLIC}:80`]);
  });

  it('without an address, or unknown, is not called', async () => {
    expect((await rejectionOf(call(open(), 'http://no-address.example/'))).code).toBe('GLZ2002');
    expect((await rejectionOf(call(open(), 'http://unknown.example/'))).code).toBe('GLZ2002');
    expect(connected).toEqual([]);
  });
});

describe('what network.allow names', () => {
  it.each([
    ['a network', '10.0.0.0/8', 'http://10.0.0.1/', '10.0.0.1:80'],
    ['an address', '10.0.0.1', 'http://10.0.0.1/', '10.0.0.1:80'],
    ['an address of version 6', 'fd00::/8', 'http://[fd00::1]/', 'fd00::1:80'],
    ['a network, for names that lead there', '10.0.0.0/8', 'http://files.corp.example/', '10.1.2.3:80'],
    ['a name', 'files.corp.example', 'http://files.corp.example/', '10.1.2.3:80'],
    ['a name, in capitals', 'Files.Corp.Example', 'http://files.corp.example./', '10.1.2.3:80'],
    ['names below one', '*.corp.example', 'http://files.corp.example/', '10.1.2.3:80'],
    ['a name in another alphabet', 'bücher.example', 'http://bücher.example/', '10.9.9.9:80'],
    ['any port there', 'files.corp.example', 'http://files.corp.example:25/', '10.1.2.3:25'],
    ['any port of an address', '10.0.0.1', 'http://10.0.0.1:22/', '10.0.0.1:22'],
  ])('may be called: %s', async (_, allow, url, reached) => {
    expect((await rejectionOf(call(open([allow]), url))).code).toBe('GLZ2002');
    expect(connected).toEqual([reached]);
  });

  it.each([
    ['another network', '10.0.0.0/8', 'http://172.16.0.1/'],
    ['another name', 'files.corp.example', 'http://to-private-a.example/'],
    ['a name that ends alike', '*.corp.example', 'http://evilcorp.example/'],
    ['a name and a password', 'files.corp.example', 'http://me:you@files.corp.example/'],
    ['another scheme', 'files.corp.example', 'ftp://files.corp.example/'],
  ])('does not allow %s', async (_, allow, url) => {
    expect(['GLZ2010', 'GLZ2002']).toContain((await rejectionOf(call(open([allow]), url))).code);
    expect(connected).toEqual([]);
  });
});

describe('a redirect', () => {
  const targets = [
    'http://127.0.0.1:9/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:a9fe:a9fe]/',
    '//10.0.0.1/',
    'http://to-loopback.example/',
    'http://one-private.example/',
    'http://localhost:9/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/',
    'javascript:alert(1)',
    'http://me:hunter2@example.org/',
    'http://example.org:22/',
    'http://[',
  ];
  const rows = [301, 302, 303, 307, 308].flatMap((status) => targets.map((to) => [status, to] as const));

  it.each(rows)('of %d to %s is refused', async (status, to) => {
    location = { status, to };
    const url = new URL(home.url);
    const error = await rejectionOf(open().request({ ...request, method: 'GET', url, max_bytes: 1000 }));
    expect(error.code).toBe('GLZ2010');
    expect(connected).toEqual([]);
  });

  it('to where what was sent would go along is refused', async () => {
    const url = new URL(home.url);
    for (const [status, method] of [
      [307, 'POST'],
      [308, 'POST'],
      [301, 'PUT'],
    ] as const) {
      location = { status, to: 'https://example.org/' };
      const sent = { ...request, method, body: '{"secret":1}', url, max_bytes: 1000 };
      expect((await rejectionOf(open().request(sent))).message).toContain('another origin');
    }
    expect(connected).toEqual([]);
  });

  it('is not followed where none may be, and not for ever', async () => {
    location = { status: 302, to: '/rpc' };
    const url = new URL(home.url);
    const sent = { ...request, method: 'GET', url, max_bytes: 1000 };
    expect((await rejectionOf(open([], 0).request(sent))).message).toMatch(/redirects to \/rpc$/);
    expect((await rejectionOf(open([], 3).request(sent))).message).toContain('after 3 times');
    expect((await rejectionOf(open([], 3).stream(sent))).message).toContain('after 3 times');
  });

  it('to a public place goes there by its checked address', async () => {
    location = { status: 302, to: 'https://example.org/next' };
    const sent = { ...request, method: 'GET', url: new URL(home.url), max_bytes: 1000 };
    expect((await rejectionOf(open().request(sent))).code).toBe('GLZ2002');
    expect(connected).toEqual([`${PUBLIC}:443`]);
  });
});
