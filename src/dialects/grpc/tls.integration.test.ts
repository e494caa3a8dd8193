import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import type { Provider } from '../../core/ports/provider.ts';
import { type Authority, makeAuthority } from '../../rpc/http/certificates.suite.ts';
import { call, failure, open, result } from './testing/calls.suite.ts';
import { startService } from './testing/service.suite.ts';

/** Asks for certificates, and trusts those of the authority. */
async function started(authority: Authority, port = 0) {
  const { key, cert } = authority.issue('localhost');
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  const credentials = ServerCredentials.createSsl(Buffer.from(authority.cert), [pair], true);
  const service = await startService({ credentials, port });
  onTestFinished(service.stop);
  return service;
}

function files() {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-grpc-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(folder, name));
  const renew = (authority: Authority) => {
    const ours = authority.issue('client');
    const texts = { 'ca.pem': authority.cert, 'cert.pem': ours.cert, 'key.pem': ours.key };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  };
  return { tls: { ca, cert, key }, renew };
}

function opened(config: object): Provider {
  const provider = open(config);
  onTestFinished(() => provider.close?.());
  return provider;
}

it('a connection that is opened anew takes the certificates that were renewed; one that is open stays', async () => {
  const [first, second] = [makeAuthority(), makeAuthority()];
  const { tls, renew } = files();
  renew(first);
  const { port, stop } = await started(first);
  const provider = opened({ url: `grpcs://localhost:${port}`, tls });
  expect(await result(call(provider, {}))).toMatchObject({});
  renew(second);
  expect(await result(call(provider, {}))).toMatchObject({});
  await stop();
  await expect.poll(async () => (await call(provider, {})).word).toBe('failed');
  await started(second, port);
  expect(await result(call(provider, {}))).toMatchObject({});
});

it('an IP address is an address like any other, and its certificate is checked', async () => {
  const authority = makeAuthority();
  const { tls, renew } = files();
  renew(authority);
  const { port } = await started(authority);
  const url = `grpcs://127.0.0.1:${port}`;
  expect(await result(call(opened({ url, tls }), {}))).toMatchObject({});
  const elsewhere = opened({ url, tls: { ...tls, servername: '127.0.0.2' } });
  expect((await failure(call(elsewhere, {}))).data.error_code).toBe('GLZ2002');
});
