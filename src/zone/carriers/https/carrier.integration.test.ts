import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, systemRandom, systemTimers } from '../../../embedded/system.ts';
import { makeAuthority } from '../../../rpc/http/certificates.suite.ts';
import { CarrierError } from '../../carrier.ts';
import { quickly } from '../sites.suite.ts';
import { type HttpsCarrierOptions, httpsCarrier } from './carrier.ts';

const never = new AbortController().signal;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listening(server: Server | ReturnType<typeof createPlainServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

function open(options: Pick<HttpsCarrierOptions, 'url' | 'tls' | 'key'>) {
  const system = { clock: systemClock, timers: systemTimers, random: systemRandom() };
  const carrier = httpsCarrier({ ...system, retries: quickly, ...options });
  ends.push(() => carrier.close());
  return carrier;
}

async function answering(listener: RequestListener) {
  const port = await listening(createPlainServer(listener));
  return (key?: string) => open({ url: `http://127.0.0.1:${port}/zone`, key: () => key });
}

async function troubleOf(sent: Promise<string>): Promise<CarrierError> {
  const thrown: unknown = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof CarrierError) return thrown;
  throw thrown ?? new Error('it came through');
}

describe('certificates', () => {
  const ours = makeAuthority();
  const theirs = makeAuthority('somebody else');
  const identity = ours.issue('localhost');

  async function zone() {
    const options = { ...identity, ca: ours.cert, requestCert: true, rejectUnauthorized: true };
    const port = await listening(createServer(options, (_, response) => response.end('{"said":true}')));
    return `https://localhost:${port}/zone`;
  }

  it('are shown, and asked for', async () => {
    const tls = { ca: ours.cert, ...ours.issue('gateway') };
    expect(await open({ url: await zone(), tls }).send('{}', { signal: never })).toBe('{"said":true}');
  });

  it.each([
    ['ours is of another authority', { ca: ours.cert, ...theirs.issue('gateway') }],
    ['theirs is of one that is not trusted', { ca: theirs.cert, ...ours.issue('gateway') }],
  ])('that are not trusted let nothing through: %s', async (_, tls) => {
    const error = await troubleOf(open({ url: await zone(), tls }).send('{}', { signal: never }));
    expect(['unauthenticated', 'unreachable']).toContain(error.trouble);
  });
});

describe('what HTTP says', () => {
  it.each([
    [401, 'unauthenticated', 'no'],
    [403, 'unauthenticated', 'no'],
    [404, 'misconfigured', 'no'],
    [413, 'too_large', 'no'],
    [415, 'misconfigured', 'no'],
    [429, 'throttled', 'no'],
    [503, 'throttled', 'no'],
    [500, 'broken', 'maybe'],
    [502, 'broken', 'maybe'],
    [302, 'broken', 'maybe'],
  ])('%i is %s', async (status, trouble, arrived) => {
    const carrier = (await answering((_, response) => response.writeHead(status).end('a page')))(
      'a-secret-key',
    );
    const error = await troubleOf(carrier.send('{}', { signal: never }));
    expect(error).toMatchObject({ trouble, arrived });
    expect(error.message).not.toContain('a-secret-key');
  });

  it('leads nowhere else', async () => {
    const asked: (string | undefined)[] = [];
    const carrier = (
      await answering((request, response) => {
        asked.push(request.url);
        if (request.url === '/zone') response.writeHead(307, { location: '/elsewhere' }).end();
        else response.end('{}');
      })
    )();
    expect(await troubleOf(carrier.send('{}', { signal: never }))).toMatchObject({ arrived: 'maybe' });
    expect(asked).toEqual(['/zone']);
  });

  it('is asked again where it was too much, and told who asks', async () => {
    let asked = 0;
    const seen: (string | undefined)[] = [];
    const carrier = (
      await answering((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(++asked < 3 ? 429 : 200, { 'retry-after': '0' }).end('{}');
      })
    )('k-1');
    expect(await carrier.send('{}', { signal: never })).toBe('{}');
    expect(seen).toEqual(['Bearer k-1', 'Bearer k-1', 'Bearer k-1']);
  });

  it('may have arrived where the connection broke, and is not sent again', async () => {
    let asked = 0;
    const carrier = (
      await answering((_, response) => {
        asked++;
        response.destroy();
      })
    )();
    expect(await troubleOf(carrier.send('{}', { signal: never }))).toMatchObject({
      trouble: 'unreachable',
      arrived: 'maybe',
    });
    expect(asked).toBe(1);
  });

  it('cannot have arrived where nobody listens', async () => {
    const carrier = open({ url: 'http://127.0.0.1:9/zone' });
    expect(await troubleOf(carrier.send('{}', { signal: never }))).toMatchObject({
      trouble: 'unreachable',
      arrived: 'no',
    });
  });
});
