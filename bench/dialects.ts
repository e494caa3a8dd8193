import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../src/core/json.ts';
import type { Provider } from '../src/core/ports/provider.ts';
import { createProvider } from '../src/dialects/registry.ts';
import { systemClock, systemTimers } from '../src/embedded/system.ts';
import { channelFactories } from '../src/main/channels.ts';
import { lineLogger } from '../src/telemetry/logger.ts';
import { inFlight } from './measure.ts';
import { payload } from './payload.ts';
import { startService } from './processes.ts';
import type { DialectReport } from './system.ts';

const ROUNDS = 10;
const IN_FLIGHT = 16;
/** Starting a program takes a thousand times as long as a call. */
const FEWER: Readonly<Record<string, number>> = { process: 100 };
const METHOD = 'echo';

const logger = lineLogger(
  'silent',
  () => {},
  () => new Date(),
);

type Addresses = { readonly http: string; readonly grpc: string };

/** Every dialect makes the same call in turn, so that whatever else the machine does falls on all of them. */
export async function measureDialects(calls: number): Promise<DialectReport> {
  const { ready, stop } = await startService<Addresses>('./dialect-service.ts');
  const providers = open(ready);
  const times: Record<string, number[]> = Object.fromEntries(
    Object.keys(providers).map((name) => [name, []]),
  );
  try {
    for (let round = -1; round < ROUNDS; round++)
      for (const [name, { provider, params }] of Object.entries(providers)) {
        const count = Math.ceil(calls / ROUNDS / (FEWER[name] ?? 1));
        const time = await timeOf(provider, params, count);
        // The first round is for the machine to get warm.
        if (round >= 0) times[name]?.push(time);
      }
    return times;
  } finally {
    await Promise.all(Object.values(providers).map(({ provider }) => provider.close?.()));
    await stop();
  }
}

async function timeOf(provider: Provider, params: JsonObject, count: number): Promise<number> {
  const { signal } = new AbortController();
  const method = provider.protocol === 'llm/v1' ? 'generate' : METHOD;
  const begun = performance.now();
  await inFlight(count, IN_FLIGHT, async (index) => {
    const id = `${index}`;
    const call = { method, params, call_id: id, task_id: id, workflow_id: null, attempt: 1, signal };
    const answer = await provider.call(call);
    if (answer.word !== 'done') throw new Error(`${provider.id}: ${JSON.stringify(answer)}`);
  });
  return ((performance.now() - begun) * 1000) / count;
}

function open({ http, grpc }: Addresses): Record<string, { provider: Provider; params: JsonObject }> {
  const service = fileURLToPath(new URL('./dialect-service.ts', import.meta.url));
  const proto = fileURLToPath(new URL('./echo.proto', import.meta.url));
  const echo = payload('dialect');
  const params: JsonObject = { key: echo.key, text: echo.text };
  const document = 'query Echo($value: JSON) { echo(value: $value) }';
  const of = (type: string, config: object, given: JsonObject = params, protocol = 'echo/v1') => ({
    provider: provide(type, config, protocol),
    params: given,
  });
  return {
    jsonrpc: of('jsonrpc-http', { url: `${http}/rpc` }),
    'jsonrpc over stdio': of('jsonrpc-stdio', { command: [process.execPath, service, 'stdio'] }),
    rest: of('rest', { url: http, methods: { echo: { path: '/rest', body: '${params}', result: '' } } }),
    graphql: of('graphql', {
      url: `${http}/graphql`,
      methods: { echo: { document, variables: { value: '${params}' }, result: '/echo' } },
    }),
    'mcp over HTTP': of('mcp-http', { url: `${http}/mcp` }),
    'mcp over stdio': of('mcp-server', { command: [process.execPath, service, 'stdio', 'mcp'] }),
    llm: of('llm', { api: 'openai', url: `${http}/v1`, default_model: 'm' }, { prompt: echo.text }, 'llm/v1'),
    grpc: of('grpc', { url: grpc, proto: [proto], methods: { echo: 'bench.Echo/Echo' } }),
    process: of('process', { command: ['cat'] }),
  };
}

function provide(type: string, config: object, protocol: string): Provider {
  const channels = channelFactories({ logger, folder: process.cwd(), environment: process.env });
  const parts = { channels, secrets: () => '', timers: systemTimers, clock: systemClock, methods: [METHOD] };
  return createProvider({ id: type, protocol, type, config }, parts);
}
