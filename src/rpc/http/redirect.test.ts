import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Credentials } from '../credentials.ts';
import { addressGuard } from '../network/guard.ts';
import { type WebRequest, webClient } from './client.ts';
import { bodyOf, closePeers, httpPeer, rejectionOf, respond } from './peer.suite.ts';
import { type Hop, nextHop } from './redirect.ts';

afterEach(closePeers);

const credentials: Credentials = {
  show: () => ({ headers: { authorization: 'Bearer hunter2' }, query: 'key=hunter2' }),
  refused: () => false,
  values: () => ['hunter2'],
  close: async () => {},
};

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** Two services; whoever is asked for `/to/<status>?<address>` is sent there, everything else is noted and answered. */
async function scene() {
  const seen: Seen[] = [];
  const start = () =>
    httpPeer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const [, status, to] = /^\/to\/(\d+)\?([^&]*)/.exec(url) ?? [];
      if (to !== undefined)
        return respond(response, Number(status), '', { location: decodeURIComponent(to) });
      seen.push({ method, url, headers, body: await bodyOf(request) });
      respond(response, 200, 'here');
    });
  const [home, other] = [await start(), await start()];
  const guard = addressGuard({ allow: ['127.0.0.1'] });
  const client = webClient({ url: home.url, guard, credentials, redirects: 3 });
  const origin = (port: number) => `http://127.0.0.1:${port}`;
  const ask = (path: string, more: Partial<WebRequest> = {}) =>
    client
      .request({
        method: 'GET',
        url: new URL(path, home.url),
        headers: {
          'X-Api-Key': 'hunter2',
          Cookie: 'a=hunter2',
          Accept: 'text/plain',
          'content-type': 'text/plain',
        },
        body: null,
        signal: null,
        max_bytes: 1000,
        ...more,
      })
      .finally(() => client.close());
  return { seen, ask, home: origin(home.port), other: origin(other.port) };
}

const to = (status: number, url: string) => `/to/${status}?${encodeURIComponent(url)}`;

describe('a redirect', () => {
  it('within the service is followed with everything the request had', async () => {
    const { seen, ask } = await scene();
    await ask(to(307, '/there'), { method: 'POST', body: 'sent' });
    expect(seen).toMatchObject([
      { method: 'POST', url: '/there?key=hunter2', body: 'sent', headers: { 'x-api-key': 'hunter2' } },
    ]);
    expect(seen[0]?.headers.authorization).toBe('Bearer hunter2');
  });

  it('of another service within itself is followed there, and still shown nothing', async () => {
    const { seen, ask, other } = await scene();
    await ask(to(302, `${other}${to(302, '/inside')}`));
    expect(seen).toMatchObject([{ url: '/inside', headers: { host: new URL(other).host } }]);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('takes along nothing that was made for the address it leads away from', async () => {
    const { seen, ask, other } = await scene();
    const told = { 'x-made-for': 'there' };
    await ask('/', { url: new URL(`${other}/there`), told });
    const again = await scene();
    await again.ask('/', { url: new URL(`${again.other}${to(302, '/elsewhere')}`), told });
    expect(seen.map(({ headers }) => headers['x-made-for'])).toEqual(['there']);
    expect(again.seen.map(({ headers }) => headers['x-made-for'])).toEqual([undefined]);
  });

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [308, 'POST', 'POST'],
  ])('of %d makes of %s a %s', async (status, method, then) => {
    const { seen, ask } = await scene();
    const body = method === 'HEAD' || method === 'DELETE' ? null : 'sent';
    await ask(to(status, '/there'), { method, body });
    const kept = then === method ? (body ?? '') : '';
    expect(seen).toMatchObject([{ method: then, body: kept }]);
    expect(seen[0]?.headers['content-type']).toBe(then === method ? 'text/plain' : undefined);
  });

  it('to another origin shows nothing of us there', async () => {
    const { seen, ask, other } = await scene();
    await ask(to(302, `${other}/there`));
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
    expect(seen[0]?.headers.accept).toBe('text/plain');
  });

  it('that leads back from there is not trusted any more', async () => {
    const { seen, ask, home, other } = await scene();
    await ask(to(302, `${other}${to(302, `${home}/admin`)}`));
    expect(seen).toMatchObject([{ url: '/admin' }]);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('does not tell in its error what the service was told', async () => {
    const { ask } = await scene();
    const far = [1, 2, 3, 4].reduce((target) => to(302, target), '/there');
    const error = await rejectionOf(ask(far));
    expect(error.message).toContain('after 3 times');
    expect(error.message).not.toContain('hunter2');
  });

  it('does not give up a secure connection', () => {
    const hop: Hop = {
      method: 'GET',
      url: new URL('https://a.example/'),
      headers: {},
      body: null,
      foreign: false,
    };
    expect(() => nextHop(hop, 302, 'http://a.example/')).toThrow('from https:// to http://');
    expect(nextHop(hop, 302, '/b')).toMatchObject({ foreign: false });
    expect(nextHop(hop, 302, 'https://a.example:8443/')).toMatchObject({ foreign: true });
  });
});
