import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { type ServiceWishes, startService } from './testing/service.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function probeOf(config: object) {
  const more = { methods: { act: 'act.v1.Act/Act' }, ...config };
  const spec = { id: 'one', protocol: 'act/v1', type: 'grpc', config: more };
  const provider = createProvider(spec, realParts);
  ends.push(async () => provider.close?.());
  if (provider.probe === undefined) throw new Error('it cannot be asked how it is');
  return provider.probe;
}

async function found(wishes: ServiceWishes, config: object = {}) {
  const { url, stop } = await startService(wishes);
  ends.push(stop);
  return probeOf({ url, ...config }).ask(AbortSignal.timeout(10_000));
}

describe('a gRPC service that is asked for its health', () => {
  it.each<[string, ServiceWishes['health'], boolean]>([
    ['has no such service', undefined, true],
    ['serves', { status: 1 }, true],
    ['does not serve', { status: 2 }, false],
    ['does not know', { status: 0 }, true],
    ['was not told about itself', { code: 5 }, true],
    ['lets nobody in', { code: 16 }, true],
    ['is not available', { code: 14 }, false],
    ['fails', { code: 13 }, false],
  ])('and %s', async (_, health, well) => {
    expect(await found(health === undefined ? {} : { health })).toMatchObject({ well });
  });

  it('says who it did not let in', async () => {
    expect(await found({ health: { code: 16 } })).toMatchObject({
      error: { data: { error_code: 'GLZ2010', reason: 'UNAUTHENTICATED' } },
    });
  });

  it('is given up with the reason of the signal where it stays silent', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    const port = await new Promise<number>((resolve) =>
      silent.listen(0, '127.0.0.1', () => resolve((silent.address() as { port: number }).port)),
    );
    ends.push(async () => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const end = new AbortController();
    const asked = probeOf({ url: `grpc://127.0.0.1:${port}` }).ask(end.signal);
    await expect.poll(() => sockets.size).toBe(1);
    end.abort(new GleitzeitError('GLZ2003', 'no answer within 2 s'));
    await expect(asked).rejects.toMatchObject({ code: 'GLZ2003' });
  });
});
