import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { classOf } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Provider, Report } from '../../../core/ports/provider.ts';
import { realParts } from '../../jsonrpc/channels.suite.ts';
import { createProvider } from '../../registry.ts';
import type { Api } from '../config.ts';
import { startModel } from './model.suite.ts';

const ends: (() => Promise<void>)[] = [];

/** For `afterEach`: ends every model and provider of the test that just ran. */
export async function endModels(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

export function open(config: object, models?: readonly string[]): Provider {
  const spec = { id: 'model', protocol: 'llm/v1', type: 'llm', config, models };
  const provider = createProvider(spec, realParts);
  ends.push(async () => provider.close?.());
  return provider;
}

export async function model(api: Api, options: Parameters<typeof startModel>[1] = {}) {
  const started = await startModel(api, options);
  ends.push(started.stop);
  return started;
}

export async function ask(provider: Provider, method: string, params: JsonObject, report?: Report) {
  const signal = AbortSignal.timeout(10_000);
  const call = { call_id: 'c', task_id: 't', workflow_id: null, attempt: 1, signal };
  return provider.call({ ...call, method, params, report });
}

export async function resultOf(...asked: Parameters<typeof ask>) {
  const answer = await ask(...asked);
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  const result = JSON.parse(answer.result) as { readonly text: string; readonly finish_reason: string };
  return { ...result, spent: answer.usage };
}

export async function errorOf(...asked: Parameters<typeof ask>) {
  const answer = await ask(...asked);
  if (answer.word !== 'failed') throw new Error(JSON.stringify(answer));
  return { ...answer.error, class: classOf(answer.error) };
}

/** A service that gives every request the same answer. */
export async function saying(
  head: { status?: number; headers: Record<string, string> },
  body: string,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(head.status ?? 200, head.headers).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const events = { headers: { 'content-type': 'text/event-stream' } };
