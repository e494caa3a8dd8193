import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Logger } from '../core/ports/logger.ts';
import { direct } from '../dialects/dialect.suite.ts';
import { createProvider } from '../dialects/registry.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { type Identity, makeAuthority } from '../rpc/http/certificates.suite.ts';
import { channelFactories } from './channels.ts';
import { providerTls } from './provider-tls.ts';

const authority = makeAuthority();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Answers each call with the name in the certificate it was shown, and ends the connection. */
async function startService(): Promise<string> {
  const options = { ...authority.issue('localhost'), ca: authority.cert, requestCert: true };
  const server = createServer({ ...options, rejectUnauthorized: true }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const name = nameOf(request.socket as TLSSocket);
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    if (request.url === '/token') response.end(JSON.stringify({ access_token: `for-${name}` }));
    else response.end(result(body, request.headers.authorization ?? name));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    const name = nameOf(request.socket as TLSSocket);
    socket.on('message', (message) => {
      socket.send(result(String(message), name));
      socket.close();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => stop(server, sockets));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(server: Server, sockets: WebSocketServer): Promise<void> {
  return new Promise((resolve) => {
    for (const socket of sockets.clients) socket.terminate();
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function nameOf(socket: TLSSocket): string {
  return String(socket.getPeerCertificate().subject.CN);
}

function result(body: string, name: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: name });
}

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'gleitzeit-tls-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const files = { ca: join(path, 'ca.pem'), cert: join(path, 'cert.pem'), key: join(path, 'key.pem') };
  /** In place of what is there, as those who renew certificates do. */
  const put = (file: string, text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const renew = ({ cert, key }: Identity) => {
    put(files.cert, cert);
    put(files.key, key);
  };
  put(files.ca, authority.cert);
  renew(authority.issue('first'));
  return { files, put, renew };
}

function log() {
  const lines: string[] = [];
  const note = (level: string) => (message: string, fields?: object) =>
    void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  const logger: Logger = {
    debug: () => {},
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  return { lines, logger };
}

function open(type: string, config: object, logger: Logger = log().logger) {
  const provider = createProvider(
    { id: 'peer', protocol: 'act/v1', type, config },
    {
      channels: channelFactories({ logger, folder: '.', environment: {} }),
      secrets: () => 'a-secret',
      timers: systemTimers,
      clock: systemClock,
      methods: ['act'],
    },
  );
  ends.push(async () => provider.close?.());
  return async () => {
    const answer = await direct(provider, { do: 'echo', value: 1 });
    return answer.word === 'done' ? JSON.parse(answer.result) : answer;
  };
}

describe('the certificate a service is shown', () => {
  it.each([
    ['jsonrpc-http', 'https'],
    ['jsonrpc-ws', 'wss'],
  ])('is the renewed one for new connections, over %s', async (type, scheme) => {
    const { files, renew } = folder();
    const call = open(type, { url: `${scheme}://${await startService()}/`, tls: files });
    expect(await call()).toBe('first');
    renew(authority.issue('second'));
    await expect.poll(call).toBe('second');
  });

  it('is shown to the token endpoint where that has a tls of its own', async () => {
    const { files } = folder();
    const place = await startService();
    const client = { client_id: 'me', client_secret: '${secrets.any}', tls: files };
    const auth = { type: 'oauth2', token_url: `https://${place}/token`, ...client };
    const call = open('jsonrpc-http', { url: `https://${place}/`, tls: files, auth });
    expect(await call()).toBe('Bearer for-first');
    const { tls: _, ...untold } = auth;
    expect(
      await open('jsonrpc-http', { url: `https://${place}/`, tls: files, auth: untold })(),
    ).toMatchObject({
      error: { message: expect.stringMatching(/^no access token: no trusted connection to https:/) },
    });
  });
});

describe('files of certificates', () => {
  it('are the same value until they change', () => {
    const { files, renew } = folder();
    const tls = providerTls(files, log().logger);
    const first = tls();
    expect(tls()).toBe(first);
    renew(authority.issue('second'));
    expect(tls()).not.toBe(first);
  });

  it('that cannot be used leave those before in force, and that is told once', () => {
    const { files, put, renew } = folder();
    const { lines, logger } = log();
    const tls = providerTls(files, logger);
    const first = tls();
    put(files.cert, 'half a certif');
    expect([tls(), tls()]).toEqual([first, first]);
    expect(lines).toEqual([expect.stringMatching(/^error: .*stay in force .*tls\.cert/)]);
    rmSync(files.key);
    expect(tls()).toBe(first);
    const next = authority.issue('second');
    renew(next);
    expect(String(tls().cert)).toBe(next.cert);
    expect(lines.at(-1)).toMatch(/^info: .*renewed/);
  });

  it('are not taken while a key is not yet that of its certificate', () => {
    const { files, put } = folder();
    const { lines, logger } = log();
    const tls = providerTls(files, logger);
    const first = tls();
    const next = authority.issue('second');
    put(files.cert, next.cert);
    expect(tls()).toBe(first);
    expect(lines).toEqual([expect.stringContaining('does not belong to the certificate')]);
    put(files.key, next.key);
    expect(String(tls().key)).toBe(next.key);
  });

  it('that are no use from the start are an error of the configuration', () => {
    const { files, put } = folder();
    put(files.key, authority.issue('other').key);
    expect(() => providerTls(files, log().logger)).toThrow(expect.objectContaining({ code: 'GLZ1012' }));
  });
});
