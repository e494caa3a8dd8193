import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { Asked, RpcReply } from '../../rpc/channel.ts';

export type InputConfig = {
  /** Folders and files a server may be told of, as addresses. */
  readonly roots?: readonly string[];
  /** What questions to a person are answered with: nothing, what the server proposes, or this before what it proposes. */
  readonly elicitation?: 'decline' | 'defaults' | JsonObject;
};

/** What a server may ask of us while it works, and what it is told. */
export type Inputs = {
  readonly capabilities: JsonObject;
  /** Over the connection, in the older era. */
  readonly asked: Asked;
  /** In a result, in the newer era. Throws GLZ2010 for what nobody here can answer. */
  answers(requests: Json | undefined): JsonObject;
};

export function createInputs({ roots, elicitation = 'decline' }: InputConfig): Inputs {
  const answer = (method: string, params: JsonObject): JsonObject | null => {
    if (method === 'ping') return {};
    if (method === 'roots/list' && roots !== undefined) return { roots: roots.map((uri) => ({ uri })) };
    if (method === 'elicitation/create' && elicitation !== 'decline') return elicited(params, elicitation);
    return null;
  };
  return {
    capabilities: {
      ...(roots === undefined ? {} : { roots: {} }),
      ...(elicitation === 'decline' ? {} : { elicitation: { form: {} } }),
    },
    asked: ({ method, params }) => {
      const answered = answer(method, isObject(params) ? params : {});
      if (answered !== null) return Promise.resolve({ result: answered });
      const refusal = refusals.get(method);
      return refusal === undefined ? null : Promise.resolve(refusal);
    },
    answers: (requests) => {
      const open = Object.entries(isObject(requests) ? requests : {});
      return Object.fromEntries(open.map(([key, request]) => [key, answeredOrThrow(request, answer)]));
    },
  };
}

/** A person who declines, and a model that nobody gave: said in a way that servers understand. */
const refusals: ReadonlyMap<string, RpcReply> = new Map([
  ['elicitation/create', { result: { action: 'decline' } }],
  ['sampling/createMessage', { error: { code: -32601, message: 'there is no model to be asked here' } }],
  ['roots/list', { error: { code: -32601, message: 'there are no roots here' } }],
]);

function answeredOrThrow(
  request: Json,
  answer: (method: string, params: JsonObject) => JsonObject | null,
): JsonObject {
  const method = String(isObject(request) ? own(request, 'method') : undefined);
  const params = isObject(request) ? own(request, 'params') : undefined;
  const given = isObject(params) ? params : {};
  const answered = answer(method, given);
  if (answered !== null) return answered;
  const message = own(given, 'message');
  const asked = typeof message === 'string' ? `: ${message}` : '';
  throw new GleitzeitError('GLZ2010', `the server asks for input by ${method}${asked}`, {
    reason: 'nothing in the configuration of the provider answers it',
    hint: 'elicitation and roots in its config answer some of what servers ask',
    details: { input_required: request },
  });
}

/** What the form proposes, with what was configured before it. A form that stays incomplete is declined. */
function elicited(params: JsonObject, given: 'defaults' | JsonObject): JsonObject {
  const schema = own(params, 'requestedSchema');
  if (own(params, 'mode') === 'url' || !isObject(schema)) return { action: 'decline' };
  const properties = own(schema, 'properties');
  const content: Record<string, Json> = {};
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const configured = given === 'defaults' ? undefined : own(given, name);
    const value = configured ?? (isObject(property) ? own(property, 'default') : undefined);
    if (value !== undefined) content[name] = value as Json;
  }
  const required = own(schema, 'required');
  const missing = (Array.isArray(required) ? required : []).some(
    (name) => !Object.hasOwn(content, String(name)),
  );
  return missing ? { action: 'decline' } : { action: 'accept', content };
}
