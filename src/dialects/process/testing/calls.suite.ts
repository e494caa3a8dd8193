import type { Answer } from '../../../core/answer.ts';
import type { ErrorRecord } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Provider, Report } from '../../../core/ports/provider.ts';
import { realParts } from '../../jsonrpc/channels.suite.ts';
import { createProvider } from '../../registry.ts';

export type More = { readonly signal?: AbortSignal; readonly report?: Report };

export function open(config: object, type = 'process'): Provider {
  return createProvider(
    { id: 'p', protocol: 'p/v1', type, config },
    { ...realParts, methods: ['m', 'other', 'execute'] },
  );
}

export function call(
  provider: Provider,
  params: JsonObject = {},
  more: More & { method?: string } = {},
): Promise<Answer> {
  const { method = 'm', signal = AbortSignal.timeout(20_000), report } = more;
  const ids = { call_id: 'c1', task_id: 't1', workflow_id: 'w1', attempt: 2 };
  return provider.call({ method, params, ...ids, signal, report, traceparent: '00-t' });
}

export async function failure(answer: Promise<Answer>): Promise<ErrorRecord> {
  const said = await answer;
  if (said.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(said)}`);
  return said.error;
}

export async function result(answer: Promise<Answer>): Promise<unknown> {
  const said = await answer;
  if (said.word !== 'done') throw new Error(`not done: ${JSON.stringify(said)}`);
  return JSON.parse(said.result);
}
