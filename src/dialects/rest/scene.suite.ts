import type { Answer } from '../../core/answer.ts';
import { classOf } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import type { ProviderParts } from '../provider-type.ts';
import { createProvider } from '../registry.ts';
import { type Reply, type Seen, startService } from './peer.suite.ts';

const ends: (() => Promise<void>)[] = [];

/** For `afterEach`: ends every service and provider of the test that just ran. */
export async function endScenes(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

export type SceneOptions = {
  /** Of the method `act`. */
  readonly method: object;
  readonly answer?: (seen: Seen, count: number) => Reply | null;
  readonly config?: JsonObject;
  readonly parts?: Partial<ProviderParts>;
};

/** A provider by a mapping with one method, and a service that answers as the test says. */
export async function scene({ method, answer, config = {}, parts = {} }: SceneOptions) {
  const service = await startService(answer ?? (() => ({ json: { ok: true } })));
  ends.push(service.stop);
  const spec = {
    id: 'api',
    protocol: 'act/v1',
    type: 'rest',
    config: { url: service.url, ...config, methods: { act: method } },
  };
  const provider = createProvider(spec, { ...realParts, ...parts });
  ends.push(async () => provider.close?.());
  const call = (params: JsonObject = {}, more: Partial<ProviderCall> = {}): Promise<Answer> =>
    provider.call({
      method: 'act',
      params,
      call_id: 'call-1',
      task_id: 'task-1',
      workflow_id: null,
      attempt: 1,
      signal: AbortSignal.timeout(20_000),
      ...more,
    });
  return { ...service, call, close: async () => provider.close?.() };
}

export function resultOf(answer: Answer): Json {
  if (answer.word !== 'done') throw new Error(`not done: ${JSON.stringify(answer)}`);
  return JSON.parse(answer.result) as Json;
}

export function errorOf(answer: Answer) {
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  const { message, data } = answer.error;
  return { code: data.error_code, class: classOf(answer.error), message, data };
}
