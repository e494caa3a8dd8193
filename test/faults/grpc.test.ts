import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { call, failure, result } from '../../src/dialects/grpc/testing/calls.suite.ts';
import { startService } from '../../src/dialects/grpc/testing/service.suite.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { readFaults } from '../../src/faults/spec.ts';
import { channelFactories } from '../../src/main/channels.ts';
import { openFaultyWay } from '../../src/main/faulty-channels.ts';
import { makeAuthority } from '../../src/rpc/http/certificates.suite.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const methods = { same: 'act.v1.Act/Same', count: 'act.v1.Act/CountUp' };

/** A provider that is told of its methods by the service itself, behind the proxy. */
function open(spec: string, config: object) {
  const way = openFaultyWay({ spec: readFaults(spec), seed: 1 }, silent);
  ends.push(() => way.close());
  const channels = way.over(channelFactories({ logger: silent, folder: tmpdir(), environment: {} }));
  const described = { id: 'g', protocol: 'g/v1', type: 'grpc', config: { methods, ...config } };
  const provider = createProvider(described, { ...realParts, methods: Object.keys(methods), channels });
  ends.push(async () => provider.close?.());
  return provider;
}

async function serve(wishes: Parameters<typeof startService>[0] = {}) {
  const service = await startService(wishes);
  ends.push(service.stop);
  return service;
}

it('streams, and questions that are asked while answers come, go through the proxy', async () => {
  const { url } = await serve();
  const counted = call(open('latency=5ms', { url }), { up_to: 500, characters: 1000 }, { method: 'count' });
  expect(await result(counted)).toHaveLength(500);
});

it('a service with TLS is reached with TLS, under the name its certificate is for', async () => {
  const authority = makeAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-faulty-grpc-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const own = authority.issue('service.test');
  const pair = { private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.cert) };
  const { port } = await serve({ credentials: ServerCredentials.createSsl(null, [pair]) });
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const url = `grpcs://127.0.0.1:${port}`;
  const named = open('latency=1ms', { url, tls: { ca, servername: 'service.test' } });
  expect(await result(call(named, { small: 7 }))).toMatchObject({ small: 7 });
  const other = open('latency=1ms', { url, tls: { ca, servername: 'other.test' } });
  expect((await failure(call(other, {}))).data.error_code).toBe('GLZ2002');
});

it('a service that is not there is said not to answer', async () => {
  const { data, message } = await failure(call(open('latency=1ms', { url: 'grpc://127.0.0.1:9' }), {}));
  expect([data.error_code, message]).toEqual(['GLZ2002', expect.stringContaining('did not answer')]);
});

it('a connection that the service breaks off is broken off, and the next call opens another', async () => {
  let sessions = 0;
  const server = createServer();
  server.on('session', (session) => {
    sessions++;
    session.on('error', () => {});
    session.on('stream', (stream) => stream.on('error', () => {}));
    session.on('stream', () => session.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const provider = open('latency=1ms', { url: `grpc://127.0.0.1:${port}` });
  for (let attempt = 0; attempt < 2; attempt++)
    expect((await failure(call(provider, {}))).data.error_code).toMatch(/GLZ200[12]/);
  expect(sessions).toBe(2);
});
