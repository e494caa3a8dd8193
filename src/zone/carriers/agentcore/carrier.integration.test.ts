import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom, systemTimers } from '../../../embedded/system.ts';
import { SuiteEndpoint } from '../../carrier.suite.ts';
import { CarrierError } from '../../carrier.ts';
import { executeBody } from '../../execution/site.suite.ts';
import { agentcoreTo, quickly, silent } from '../sites.suite.ts';
import { agentcoreCarrier, MAX_PAYLOAD_BYTES } from './carrier.ts';
import {
  type StandIn,
  standInArn,
  standInCredentials,
  standInRegion,
  startStandIn,
} from './stand-in.suite.ts';

const never = new AbortController().signal;
const peer = new SuiteEndpoint();
let service: StandIn;
beforeAll(async () => {
  service = await startStandIn({ container: peer.endpoint });
});
afterAll(() => service.close());
beforeEach(() => service.throttle(0));

async function troubleOf(sent: Promise<string>): Promise<CarrierError> {
  const thrown: unknown = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof CarrierError) return thrown;
  throw thrown ?? new Error('it came through');
}

function withKey(secretAccessKey: string, runtime_arn = standInArn) {
  return agentcoreCarrier({
    ...{ runtime_arn, region: standInRegion, endpoint: service.url, retries: quickly, logger: silent },
    ...{ timers: systemTimers, random: systemRandom() },
    credentials: async () => ({ ...standInCredentials, secretAccessKey }),
  });
}

describe('AgentCore', () => {
  it('gets a session of its own with every call, each a UUID', async () => {
    const carrier = agentcoreTo(service);
    const before = service.sessions.length;
    for (const _ of [1, 2, 3]) await carrier.send(executeBody(), { signal: never });
    const sessions = service.sessions.slice(before);
    expect(new Set(sessions).size).toBe(3);
    for (const session of sessions) expect(session).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await carrier.close();
  });

  it('is asked again after it throttled, and not for ever', async () => {
    const carrier = agentcoreTo(service);
    service.throttle(3);
    expect(await carrier.send(executeBody({ text: 'patience' }), { signal: never })).toContain('patience');
    service.throttle(100);
    const error = await troubleOf(carrier.send(executeBody(), { signal: never }));
    expect(error).toMatchObject({ trouble: 'throttled', arrived: 'no', mayPass: true });
    await carrier.close();
  });

  it('lets nobody in whose signature is another, and nobody repeats the key', async () => {
    const carrier = withKey('a-wrong-secret');
    const error = await troubleOf(carrier.send(executeBody(), { signal: never }));
    expect(error).toMatchObject({ trouble: 'unauthenticated', arrived: 'no' });
    expect(error.message).not.toContain('a-wrong-secret');
    expect(service.refused.at(-1)).toBe('another signature');
    await carrier.close();
  });

  it('has no such runtime', async () => {
    const carrier = withKey(standInCredentials.secretAccessKey, `${standInArn}x`);
    expect(await troubleOf(carrier.send(executeBody(), { signal: never }))).toMatchObject({
      trouble: 'misconfigured',
      arrived: 'no',
    });
    await carrier.close();
  });

  it('is not asked to carry more than 100 MB', async () => {
    expect(MAX_PAYLOAD_BYTES).toBe(100 * 1024 * 1024);
    const carrier = agentcoreTo(service);
    const before = service.sessions.length;
    const large = executeBody({ text: 'x'.repeat(MAX_PAYLOAD_BYTES) });
    expect(await troubleOf(carrier.send(large, { signal: never }))).toMatchObject({
      trouble: 'too_large',
      arrived: 'no',
    });
    expect(service.sessions.length).toBe(before);
    await carrier.close();
  });

  it('is not there: what was not sent is told from what may have been', async () => {
    const carrier = agentcoreTo({ url: 'http://127.0.0.1:9' });
    expect(await troubleOf(carrier.send(executeBody(), { signal: never }))).toMatchObject({
      trouble: 'unreachable',
      arrived: 'no',
    });
    await carrier.close();
  });
});

describe('a service that is another', () => {
  /** Answers each call as the test says, whoever signed it. */
  async function answering(answer: RequestListener) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
  }

  it.each([
    [400, 'ExpiredTokenException', 'unauthenticated'],
    [403, 'InvalidSignatureException', 'unauthenticated'],
    [400, 'UnrecognizedClientException', 'unauthenticated'],
    [403, 'SomethingNewException', 'unauthenticated'],
    [429, 'SomethingNewException', 'throttled'],
    [500, 'SomethingNewException', 'broken'],
    [402, 'ServiceQuotaExceededException', 'throttled', 'no'],
  ])(
    'is understood by the name or the status of its error: %i %s',
    async (status, name, trouble, arrived?: string) => {
      const { url, close } = await answering((request, response) => {
        request.resume();
        response
          .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name })
          .end('{}');
      });
      const carrier = agentcoreTo({ url });
      expect(await troubleOf(carrier.send(executeBody(), { signal: never }))).toMatchObject({
        ...{ trouble, ...(arrived === undefined ? {} : { arrived }) },
      });
      await carrier.close();
      close();
    },
  );

  it('is asked for the endpoint of the runtime that is named', async () => {
    const asked: (string | undefined)[] = [];
    const { url, close } = await answering((request, response) => {
      asked.push(request.url);
      request.resume();
      response.end('{}');
    });
    const carrier = agentcoreTo({ url }, { qualifier: 'staging' });
    await carrier.send(executeBody(), { signal: never });
    expect(asked).toEqual([expect.stringMatching(/\/invocations\?qualifier=staging$/)]);
    await carrier.close();
    close();
  });

  it('is asked everything at once: no call waits for another', async () => {
    const calls = 80;
    const waiting: (() => void)[] = [];
    const { url, close } = await answering((request, response) => {
      request.resume();
      waiting.push(() => response.end('{}'));
      if (waiting.length === calls) for (const answer of waiting) answer();
    });
    const carrier = agentcoreTo({ url }, { connections: calls });
    const sent = Array.from({ length: calls }, () => carrier.send(executeBody(), { signal: never }));
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['{}']));
    await carrier.close();
    close();
  });

  it('is read no further than may be carried', async () => {
    const gone = Promise.withResolvers<void>();
    const { url, close } = await answering((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (response.write('x'.repeat(1000)));
      };
      response.on('drain', more).on('close', () => gone.resolve());
      more();
    });
    const carrier = agentcoreTo({ url }, { max_bytes: 100_000 });
    expect(await troubleOf(carrier.send(executeBody(), { signal: never }))).toMatchObject({
      trouble: 'too_large',
      arrived: 'maybe',
    });
    await gone.promise;
    await carrier.close();
    close();
  });
});

it('nobody but the carrier asks again', async () => {
  const retries = { ...quickly, most: 0 };
  const carrier = agentcoreTo(service, { retries });
  const before = service.throttled;
  service.throttle(100);
  await troubleOf(carrier.send(executeBody(), { signal: never }));
  expect(service.throttled - before).toBe(1);
  await carrier.close();
});

it('says what is to be installed where the vendor’s client is not there', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier.startsWith('@aws-sdk') ? next('not-here-at-all', context) : next(specifier, context),
    });
    const { loadAgentCore } = await import('${new URL('./driver.ts', import.meta.url).href}');
    console.log(await loadAgentCore().catch((error) => error.trouble + ' ' + error.message));`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain(
    'misconfigured agentcore: the package @aws-sdk/client-bedrock-agentcore cannot be loaded',
  );
});
