import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { makeAuthority } from './certificates.suite.ts';
import { lookAt } from './look.ts';
import { closePeers, httpPeer, httpsPeer, rejectionOf } from './peer.suite.ts';

afterEach(closePeers);

const open = new AbortController().signal;

describe('a look at a page of a service', () => {
  it.each([200, 204, 301, 503])('answers with its status: %i', async (status) => {
    const asked: string[] = [];
    const peer = await httpPeer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'nobody'}`);
      response.writeHead(status, { location: '/elsewhere' }).end(status === 204 ? undefined : 'body');
    });
    const service = new URL(`${peer.url.replace('://', '://user:secret@')}/rpc?key=secret`);
    expect(await lookAt(service)('/health?deep=1', open)).toBe(status);
    expect(asked).toEqual(['GET /health?deep=1 nobody']);
  });

  it('goes to the same host where the service speaks over WebSockets', async () => {
    const peer = await httpPeer((_, response) => response.writeHead(200).end());
    expect(await lookAt(new URL(peer.url.replace('http', 'ws')))('/health', open)).toBe(200);
  });

  it('heeds the certificates of the service', async () => {
    const authority = makeAuthority();
    const peer = await httpsPeer(authority.issue('localhost'), (_, response) =>
      response.writeHead(200).end(),
    );
    expect(await lookAt(new URL(peer.url), { tls: { ca: authority.cert } })('/health', open)).toBe(200);
    expect((await rejectionOf(lookAt(new URL(peer.url))('/health', open))).code).toBe('GLZ2002');
  });

  it('leaves nothing open, whether it is answered or given up', async () => {
    const answered = await httpPeer((_, response) => response.writeHead(200).end());
    await lookAt(new URL(answered.url))('/health', open);
    const silent = await httpPeer(() => {});
    const controller = new AbortController();
    const looked = rejectionOf(lookAt(new URL(silent.url))('/health', controller.signal));
    await expect.poll(() => silent.sockets.length).toBe(1);
    controller.abort(new GleitzeitError('GLZ2003', 'no answer within 2 s'));
    expect((await looked).code).toBe('GLZ2003');
    const sockets = [...answered.sockets, ...silent.sockets];
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
