import { afterEach, describe, expect, it } from 'vitest';
import type { HookRequest, HookRoute } from './route.ts';
import { start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

function hook(seen: HookRequest[]): HookRoute {
  return {
    kind: 'hook',
    path: '/hook',
    answer: (request) => {
      seen.push(request);
      return { status: 200, type: 'text/plain', body: 'taken' };
    },
  };
}

describe('what a service outside sends', () => {
  it('arrives byte for byte, whatever its type, without a key and by any name', async () => {
    const seen: HookRequest[] = [];
    const { url } = await start({ routes: [hook(seen)], authenticate: () => null });
    const body = 'token=a%20b&text=%E2%82%AC';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answered = await fetch(`${url}/hook`, { method: 'POST', body, headers: type });
    expect([answered.status, await answered.text()]).toEqual([200, 'taken']);
    await fetch(`${url}/hook`, { method: 'POST', body: '{"a": 1}', headers: { 'x-signed': 'yes' } });
    expect(seen.map((request) => Buffer.from(request.body).toString())).toEqual([body, '{"a": 1}']);
    expect(seen.map(({ headers, caller }) => [headers['x-signed'], caller])).toEqual([
      [undefined, null],
      ['yes', null],
    ]);
  });

  it('is bounded like everything else, and comes by POST only', async () => {
    const seen: HookRequest[] = [];
    const { url, listener } = await start({ routes: [hook(seen)], limits: { body_bytes: 10 } });
    expect((await fetch(`${url}/hook`, { method: 'POST', body: 'x'.repeat(11) })).status).toBe(413);
    const pieces = new ReadableStream({
      start(stream) {
        for (const piece of ['x'.repeat(8), 'y'.repeat(8)]) stream.enqueue(Buffer.from(piece));
        stream.close();
      },
    });
    const sent = await fetch(`${url}/hook`, { method: 'POST', body: pieces, duplex: 'half' });
    expect(sent.status).toBe(413);
    expect((await fetch(`${url}/hook`)).status).toBe(405);
    await listener.quiet();
    expect((await fetch(`${url}/hook`, { method: 'POST', body: 'x' })).status).toBe(503);
    expect(seen).toEqual([]);
  });
});
