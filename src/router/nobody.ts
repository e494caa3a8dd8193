import { GleitzeitError } from '../core/errors.ts';
import type { RouteRequest } from '../core/ports/router.ts';
import { type Member, modelOf } from './member.ts';

/** Many models are told by how many there are: the error is read by people. */
const MOST_NAMED = 20;

export function nobodyHas({
  protocol,
  method,
  only,
}: Pick<RouteRequest, 'protocol' | 'method' | 'only'>): GleitzeitError {
  if (only !== undefined)
    return new GleitzeitError('GLZ2007', `no provider ${only} for ${protocol} ${method}`, {
      hint: `connect ${only}: the call is for nobody else`,
    });
  return new GleitzeitError('GLZ2007', `no provider for ${protocol} ${method}`, {
    hint: `connect a provider of ${protocol} that has the method ${method}`,
  });
}

/** These have the method, and none of them the model. */
export function nobodyServes(request: RouteRequest, able: readonly Member[]): GleitzeitError {
  const { protocol, method, params } = request;
  const model = modelOf(params) ?? '';
  const served = [...new Set(able.flatMap(({ settings }) => settings.models ?? []))].sort();
  const more = served.length > MOST_NAMED ? ` and ${served.length - MOST_NAMED} more` : '';
  return new GleitzeitError('GLZ2007', `no provider for ${protocol} ${method} serves the model ${model}`, {
    field: '/params/model',
    reason: `served are ${served.slice(0, MOST_NAMED).join(', ')}${more}`,
    hint: `name one of these, or add the model to \`models\` of a provider of ${protocol}`,
    details: { model, served },
  });
}

/** Those of them who serve such a call. */
export function ableOf(members: readonly Member[], request: RouteRequest): readonly Member[] {
  const able = members.filter((member) => member.connection.hasMethod(request.method));
  if (able.length === 0) throw nobodyHas(request);
  const all = able.filter((member) => member.isAble(request.method, request.params));
  if (all.length === 0) throw nobodyServes(request, able);
  return all;
}
