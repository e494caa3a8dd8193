import type { JsonObject } from '../core/json.ts';
import { parseProtocol } from '../core/protocol.ts';
import { thrownBy } from '../core/thrown.suite.ts';
import { createProtocols, type Protocols } from './protocols.ts';

/** A registry with one protocol, `p/v1`. */
export function registered(methods: Record<string, unknown>): Protocols {
  const protocols = createProtocols();
  protocols.register(parseProtocol({ name: 'p/v1', methods }));
  return protocols;
}

/** Checks params against one method's schema. */
export function judge(params: unknown, returns: unknown = true) {
  const protocols = registered({ m: { params, returns } });
  const check = (value: JsonObject, stage: 'template' | 'final' = 'final') =>
    protocols.checkParams({ protocol: 'p/v1', method: 'm', params: value, stage });
  const refusal = (value: JsonObject, stage: 'template' | 'final' = 'final') =>
    thrownBy(() => check(value, stage));
  return { check, refusal, protocols };
}

export const search = {
  query: { type: 'string', required: true },
  max_results: { type: 'integer', default: 10 },
  order: { enum: ['date', 'rank'] },
};
