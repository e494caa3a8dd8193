import { afterEach, describe, expect, it } from 'vitest';
import type { TreeRequest, TreeRoute } from './route.ts';
import { start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

/** Tells what it was asked; below `/t/none` there is nothing. */
function tree(seen: TreeRequest[] = []): TreeRoute {
  return {
    kind: 'tree',
    path: '/t',
    methodsAt: (path) => (path.startsWith('/t/none') ? [] : ['GET', 'HEAD', 'PUT', 'DELETE']),
    there: () => ['/t/some'],
    answer: (request) => {
      seen.push(request);
      if (request.method === 'DELETE') return { status: 204, type: '', body: '' };
      const { method, path, query, body = null, caller } = request;
      const told = { method, path, query: [...query], body, caller: caller.name };
      return { status: 200, type: 'application/json', body: JSON.stringify(told) };
    },
  };
}

const json = { 'content-type': 'application/json' };

describe('many resources below one path', () => {
  it('are asked by whatever is possible there, with and without a body', async () => {
    const { url } = await start({ routes: [tree()] });
    const put = await fetch(`${url}/t/a%2Fb?x=1&x=2`, { method: 'PUT', body: '{"a":[1]}', headers: json });
    expect(await put.json()).toEqual({
      method: 'PUT',
      path: '/t/a%2Fb',
      query: [
        ['x', '1'],
        ['x', '2'],
      ],
      body: { a: [1] },
      caller: 'local',
    });
    expect(await (await fetch(`${url}/t`)).json()).toMatchObject({ path: '/t', body: null });
    expect(await (await fetch(`${url}/t/x`, { method: 'PUT' })).json()).toMatchObject({ body: null });
    const removed = await fetch(`${url}/t/x`, { method: 'DELETE' });
    expect([removed.status, await removed.text(), removed.headers.get('content-type')]).toEqual([
      204,
      '',
      null,
    ]);
  });

  it('say what is possible, and what is there', async () => {
    const { url } = await start({ routes: [tree()] });
    const wrong = await fetch(`${url}/t/x`, { method: 'PATCH', body: '{}', headers: json });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
    const none = await fetch(`${url}/t/none`);
    expect([none.status, await none.json()]).toMatchObject([
      404,
      { error: { message: 'nothing is at /t/none', data: { hint: 'there is /t/some' } } },
    ]);
    // A method that HTTP knows and nobody serves, and a path that only begins alike.
    expect((await fetch(`${url}/t/x`, { method: 'PROPFIND' })).status).toBe(405);
    expect((await fetch(`${url}/tea`)).status).toBe(404);
  });

  it('take bodies in pieces, and none that is too large, of another type or no JSON', async () => {
    const seen: TreeRequest[] = [];
    const { url } = await start({ routes: [tree(seen)], limits: { body_bytes: 100 } });
    const send = (body: string, headers: Record<string, string> = json) =>
      fetch(`${url}/t/x`, {
        method: 'PUT',
        body: new ReadableStream({
          start(pieces) {
            for (const piece of body.match(/.{1,40}/gs) ?? []) pieces.enqueue(Buffer.from(piece));
            pieces.close();
          },
        }),
        headers,
        duplex: 'half',
      });
    expect((await send(JSON.stringify({ a: 'x'.repeat(80) }))).status).toBe(200);
    expect((await send(JSON.stringify({ a: 'x'.repeat(800) }))).status).toBe(413);
    expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('{')).status).toBe(400);
    expect((await send('')).status).toBe(200);
    expect(seen.map(({ body }) => body)).toEqual([{ a: 'x'.repeat(80) }, undefined]);
  });

  it('are for whoever is known, and for as many at once as all others', async () => {
    const { url } = await start({ routes: [tree()], authenticate: () => null });
    expect((await fetch(`${url}/t/x`)).status).toBe(401);
    const { url: full } = await start({ routes: [tree()], limits: { requests: 0 } });
    expect((await fetch(`${full}/t/x`)).status).toBe(429);
  });
});
