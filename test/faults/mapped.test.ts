import { tmpdir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { startService } from '../../src/dialects/rest/peer.suite.ts';
import { readFaults } from '../../src/faults/spec.ts';
import { channelFactories } from '../../src/main/channels.ts';
import { openFaultyWay } from '../../src/main/faulty-channels.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(spec: string) {
  const service = await startService(({ path, headers }) => ({ json: { path, host: headers.host } }));
  ends.push(service.stop);
  const way = openFaultyWay({ spec: readFaults(spec), seed: 1 }, silent);
  ends.push(() => way.close());
  const surroundings = { logger: way.logger, folder: tmpdir(), environment: {} };
  const channels = way.over(channelFactories(surroundings));
  const config = { url: `${service.url}/v1`, methods: { act: { path: '/a' } } };
  const described = { id: 'api', protocol: 'act/v1', type: 'rest', config };
  const provider = createProvider(described, { ...realParts, channels });
  ends.push(async () => provider.close?.());
  const call = () =>
    provider.call({
      method: 'act',
      params: {},
      call_id: 'c',
      task_id: 't',
      workflow_id: null,
      attempt: 1,
      signal: AbortSignal.timeout(10_000),
    });
  const look = channels.look?.({ url: service.url, tls: null });
  const page = () => look?.('/health', AbortSignal.timeout(10_000));
  return { call, page, host: new URL(service.url).host };
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('a service that is called by a mapping is met by faults too', async () => {
  const { call } = await open('reset=100%');
  expect(await call()).toMatchObject({ word: 'failed', error: { data: { error_code: 'GLZ2002' } } });
});

it('a service behind the proxy is called by its own name', async () => {
  const { call, host } = await open('latency=1ms');
  expect(await call()).toEqual({ word: 'done', result: JSON.stringify({ path: '/v1/a', host }) });
});

it('a page that tells of the health of a service is met by faults as well', async () => {
  expect(await (await open('latency=1ms')).page()).toBe(200);
  expect(await (await open('wrong_answers=100%:server_error')).page()).toBe(500);
  await expect((await open('reset=100%')).page()).rejects.toMatchObject({ code: 'GLZ2002' });
});
