import type { Answer } from '../../../core/answer.ts';
import type { ErrorRecord } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Progress, Provider } from '../../../core/ports/provider.ts';
import { realParts } from '../../jsonrpc/channels.suite.ts';
import { createProvider } from '../../registry.ts';

const methods = {
  act: 'act.v1.Act/Act',
  same: 'act.v1.Act/Same',
  count: 'act.v1.Act/CountUp',
  gather: 'act.v1.Act/Gather',
  none: 'act.v1.Act/Sames',
  nowhere: 'act.v2.Act/Act',
};

export function open(config: object): Provider {
  const known = { ...realParts, methods: [...Object.keys(methods), 'count_up'] };
  return createProvider({ id: 'g', protocol: 'g/v1', type: 'grpc', config: { methods, ...config } }, known);
}

export type More = {
  readonly signal?: AbortSignal;
  readonly report?: (progress: Progress) => void;
  readonly method?: string;
};

export function call(provider: Provider, params: JsonObject, more: More = {}): Promise<Answer> {
  const { signal = AbortSignal.timeout(20_000), report, method = 'same' } = more;
  const ids = { call_id: 'c1', task_id: 't1', workflow_id: null, attempt: 1 };
  return provider.call({ method, params, ...ids, signal, report, traceparent: '00-trace' });
}

export async function result(answer: Promise<Answer>): Promise<unknown> {
  const said = await answer;
  if (said.word !== 'done') throw new Error(`not done: ${JSON.stringify(said)}`);
  return JSON.parse(said.result);
}

export async function failure(answer: Promise<Answer>): Promise<ErrorRecord> {
  const said = await answer;
  if (said.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(said)}`);
  return said.error;
}
