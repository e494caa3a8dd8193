import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Progress, Provider } from '../../core/ports/provider.ts';
import { makeAuthority } from '../../rpc/http/certificates.suite.ts';
import { call, failure, open, result } from './testing/calls.suite.ts';
import { actProto, type ServiceWishes, startService } from './testing/service.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(wishes: ServiceWishes = {}) {
  const service = await startService(wishes);
  ends.push(service.stop);
  return service;
}

function opened(config: object): Provider {
  const provider = open(config);
  ends.push(() => provider.close?.());
  return provider;
}

describe('a stream of messages', () => {
  it('is the list of them, each told as it comes', async () => {
    const { url } = await started();
    const told: Progress[] = [];
    const provider = opened({ url });
    const answer = call(provider, { up_to: 3 }, { method: 'count', report: (one) => told.push(one) });
    expect(await result(answer)).toEqual([1, 2, 3].map((number) => ({ number, text: '' })));
    expect(told).toEqual([1, 2, 3].map((n) => ({ progress: n, text: `{"number":${n},"text":""}\n` })));
    expect(await result(call(provider, {}, { method: 'count' }))).toEqual([]);
  });

  it('may neither be too long nor too large', async () => {
    const { url } = await started();
    const long = await failure(call(opened({ url, max_messages: 2 }), { up_to: 3 }, { method: 'count' }));
    expect(long).toMatchObject({
      message: 'the answer has more than 2 messages',
      data: { error_code: 'GLZ2005' },
    });
    const large = { up_to: 20, characters: 1024 * 1024 };
    expect((await failure(call(opened({ url }), large, { method: 'count' }))).data.error_code).toBe(
      'GLZ2005',
    );
  });

  it('that breaks is no result', async () => {
    const { url } = await started();
    const broken = await failure(call(opened({ url }), { up_to: 2, end: 'fail' }, { method: 'count' }));
    expect(broken).toMatchObject({ message: 'gone in the middle', data: { error_code: 'GLZ2002' } });
  });

  it('that does not go on is ended by the task', async () => {
    const { url } = await started();
    const end = new AbortController();
    const report = () => end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    const answer = call(
      opened({ url }),
      { up_to: 1, end: 'hang' },
      { method: 'count', report, signal: end.signal },
    );
    expect((await failure(answer)).data.error_code).toBe('GLZ2009');
  });
});

describe('what a service is told of a call', () => {
  it('is metadata, who we are, and the trace', async () => {
    const { url, seen } = await started({ authorization: 'Bearer value-of-token' });
    const auth = { type: 'bearer', token: '${secrets.token}' };
    const provider = opened({
      url,
      auth,
      metadata: { 'x-tenant': '${secrets.tenant}' },
      service: 'act.v1.Act',
    });
    expect(await result(call(provider, {}))).toMatchObject({ small: 0 });
    expect(seen[0]?.getMap()).toMatchObject({
      authorization: 'Bearer value-of-token',
      'x-tenant': 'value-of-tenant',
      'idempotency-key': 'c1',
      traceparent: '00-trace',
    });
    expect(await result(call(provider, { up_to: 1 }, { method: 'count_up' }))).toHaveLength(1);
  });

  it('is kept out of its errors', async () => {
    const { url } = await started({ authorization: 'Bearer other' });
    const auth = { type: 'bearer', token: '${secrets.token}' };
    expect(await failure(call(opened({ url, auth }), {}))).toMatchObject({
      message: 'who is Bearer [secret]?',
      data: { error_code: 'GLZ2010', reason: 'UNAUTHENTICATED' },
    });
  });
});

describe('the line to a service', () => {
  it('is checked by certificates both ways', async () => {
    const authority = makeAuthority();
    const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-grpc-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [own, ours] = [authority.issue('service.test'), authority.issue('client.test')];
    const pair = { private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.cert) };
    const credentials = ServerCredentials.createSsl(Buffer.from(authority.cert), [pair], true);
    const { port } = await started({ credentials });
    const url = `grpcs://127.0.0.1:${port}`;
    const ca = file('ca.pem', authority.cert);
    const tls = { ca, cert: file('cert.pem', ours.cert), key: file('key.pem', ours.key) };
    expect(
      await result(call(opened({ url, tls: { ...tls, servername: 'service.test' } }), {})),
    ).toMatchObject({});
    for (const wrong of [{ ca }, { ...tls, servername: 'other.test' }])
      expect((await failure(call(opened({ url, tls: wrong }), {}))).data.error_code).toBe('GLZ2002');
  });

  it('that leads nowhere is left after a timeout: the next call takes another', {
    timeout: 20_000,
  }, async () => {
    const { port } = await started();
    const lines: Socket[] = [];
    const proxy = createServer((line) => {
      line.on('error', () => {});
      // The first connection is taken and never answered, as by a machine that is gone.
      if (lines.push(line) > 1)
        line
          .pipe(tcpConnect(port, '127.0.0.1'))
          .on('error', () => {})
          .pipe(line);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      for (const line of lines) line.destroy();
      proxy.close();
    });
    const url = `grpc://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const provider = opened({ url, timeout: 0.5 });
    expect((await failure(call(provider, {}))).data.error_code).toBe('GLZ2003');
    const patient = await result(call(provider, { small: 1 }));
    expect(patient).toMatchObject({ small: 1 });
    expect(lines).toHaveLength(2);
  });

  it('is not kept open to somebody who never said a word', async () => {
    const held = new Set<Socket>();
    const silent = createServer((socket) => {
      held.add(socket.resume().on('error', () => {}));
      socket.once('close', () => held.delete(socket));
    });
    ends.push(() => silent.close());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const provider = opened({ url: `grpc://127.0.0.1:${port}`, timeout: '100ms' });
    expect((await failure(call(provider, {}))).data.error_code).toBe('GLZ2003');
    await expect.poll(() => held.size).toBe(0);
    const given = new AbortController();
    const waiting = call(opened({ url: `grpc://127.0.0.1:${port}` }), {}, { signal: given.signal });
    await expect.poll(() => held.size).toBe(1);
    given.abort(new GleitzeitError('GLZ2008', 'no longer wanted'));
    await failure(waiting);
    for (const end of ends.splice(-1)) await end();
    await expect.poll(() => held.size).toBe(0);
  });

  it('tells the service when to give up', async () => {
    const { url } = await started();
    const provider = opened({ url, timeout: 0.2, keepalive: 30 });
    expect((await failure(call(provider, { do: 'silence' }, { method: 'act' }))).data.error_code).toBe(
      'GLZ2003',
    );
  });
});

describe('what is wrong with a configuration', () => {
  it('is said by a service that tells of nothing, and by files that are not there', async () => {
    const { url } = await started({ reflection: false });
    expect(await failure(call(opened({ url }), {}))).toMatchObject({
      message: 'gRPC: the service does not tell of its methods',
      data: { hint: 'name its .proto file in the configuration: proto' },
    });
    const missing = opened({ url, proto: ['/nowhere/x.proto'] });
    expect((await failure(call(missing, {}))).message).toMatch(/the \.proto files cannot be read/);
    // Beside the file itself is where its imports are looked for.
    expect(await result(call(opened({ url, proto: [actProto] }), {}))).toMatchObject({ small: 0 });
  });

  it.each([
    [{ url: 'http://h:1' }, '/config/url'],
    [{ url: 'grpc://h:1/path' }, '/config/url'],
    [{ url: 'grpc://user@h:1' }, '/config/url'],
    [{ methods: { same: 'act.v1.Act.Same' } }, '/config/methods/same'],
    [{ methods: { nope: 'a.B/C' } }, '/config/methods/nope'],
    [{ metadata: { 'X-Big': 'a' } }, '/config/metadata/X-Big'],
    [{ auth: { type: 'api_key', query: 'k', value: '${secrets.k}' } }, '/config/auth/query'],
    [{ tls: { cert: '/c' } }, '/config/tls/key'],
    [{ max_messages: 0 }, '/config/max_messages'],
    [{ keepalive: 'often' }, '/config/keepalive'],
  ])('%j is refused at %s', (config, field) => {
    expect(() => open({ url: 'grpc://127.0.0.1:1', ...config })).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field }) }),
    );
  });
});
