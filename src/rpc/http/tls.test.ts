import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel } from '../channel.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { makeAuthority } from './certificates.suite.ts';
import { type HttpTls, httpChannel } from './channel.ts';
import { closePeers, echo, httpsPeer, rejectionOf, respond } from './peer.suite.ts';

const authority = makeAuthority();
const server = authority.issue('localhost');
let channel: Channel | undefined;

afterEach(async () => {
  await channel?.close();
  await closePeers();
});

function ask(url: string, tls?: HttpTls) {
  channel = httpChannel({
    url,
    wall: Date.now,
    timers: manualTimers(),
    ...(tls === undefined ? {} : { tls }),
  });
  return channel.call({ id: 1, method: 'ask', params: [1], signal: new AbortController().signal });
}

describe('a call over TLS', () => {
  it('trusts the authority it was given, and nobody unknown', async () => {
    const peer = await httpsPeer(server, echo);
    expect(await ask(peer.url, { ca: authority.cert })).toMatchObject({ result: [1] });
    const error = await rejectionOf(ask(peer.url));
    expect([error.code, error.class]).toEqual(['GLZ2002', 'transport']);
    expect(error.details.hint).toContain('authority');
  });

  it('insists on the name the certificate is for', async () => {
    const peer = await httpsPeer(server, echo);
    const error = await rejectionOf(ask(peer.url, { ca: authority.cert, servername: 'other.example' }));
    expect(error.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('shows the certificate it was given', async () => {
    const options = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const peer = await httpsPeer(options, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      respond(response, 200, { jsonrpc: '2.0', id: 1, result: String(subject.CN) });
    });
    const tls = { ca: authority.cert, ...authority.issue('engine') };
    expect(await ask(peer.url, tls)).toMatchObject({ result: 'engine' });
    expect((await rejectionOf(ask(peer.url, { ca: authority.cert }))).code).toBe('GLZ2002');
  });
});
