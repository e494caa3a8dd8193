import { createServer } from 'node:http';
import { createServer as createHttp2, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { call, failure, open } from './testing/calls.suite.ts';
import { actProto, protoFolder } from './testing/service.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const protos = { proto: [actProto], include: [protoFolder] };

async function at(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function over(url: string, config: object = protos) {
  const provider = open({ url, ...config });
  ends.push(() => provider.close?.());
  return provider;
}

/** Answers each request as the test says. */
function answering(answer: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createHttp2();
  server.on('request', (request, { stream }) => {
    request.resume();
    stream.on('error', () => {});
    answer(stream);
  });
  return at(server);
}

describe('somebody who is no gRPC service', () => {
  it.each([
    ['by server reflection', {}],
    ['by .proto files', protos],
  ])('is found out by a page for people, %s', async (_, config) => {
    const url = await answering((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      stream.end('<html>welcome</html>');
    });
    expect(await failure(call(over(url, config), {}))).toMatchObject({ data: { error_code: 'GLZ2005' } });
  });

  it('is found out where he does not even speak HTTP/2', async () => {
    const page = createServer((_, response) => response.writeHead(200).end('<html>welcome</html>'));
    expect(await failure(call(over(await at(page)), {}))).toMatchObject({ data: { error_code: 'GLZ2002' } });
  });

  it.each([
    [401, 'GLZ2010'],
    [429, 'GLZ2002'],
    [503, 'GLZ2002'],
  ])('and stands in front of one with HTTP %i is %s', async (status, code) => {
    const url = await answering((stream) => {
      stream.respond({ ':status': status, 'content-type': 'text/plain' });
      stream.end('no');
    });
    expect(await failure(call(over(url), {}))).toMatchObject({ data: { error_code: code } });
  });

  it('gives half an answer, which is none, and is not waited for without end', async () => {
    const half = Buffer.from([0, 0, 0, 0, 100, 1, 2, 3]);
    const began = Promise.withResolvers<void>();
    const hanging = await answering((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(half, () => began.resolve());
    });
    const end = new AbortController();
    const answer = call(over(hanging), {}, { signal: end.signal });
    await began.promise;
    end.abort(new GleitzeitError('GLZ2003', 'no answer within 30 s'));
    expect(await failure(answer)).toMatchObject({ data: { error_code: 'GLZ2003' } });
    const cut = await answering((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(half, () => stream.session?.destroy());
    });
    expect(await failure(call(over(cut), {}))).toMatchObject({ data: { error_code: 'GLZ2002' } });
  });
});
