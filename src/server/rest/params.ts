import type { Method } from '../../api/method.ts';
import { methods } from '../../api/methods.ts';
import type { RestOperation } from '../../api/rest.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, kindOf, own } from '../../core/json.ts';
import type { TreeRequest } from '../../rpc/listener/route.ts';
import { formsOf, queryParams } from './query.ts';

const KEY_HEADER = 'idempotency-key';

/** The params of the method: from the path, the query, the body and the header for keys. Nothing may be said twice. */
export function paramsOf(
  operation: RestOperation,
  named: JsonObject,
  { query, body, headers }: Pick<TreeRequest, 'query' | 'body' | 'headers'>,
): JsonObject {
  const fields = fieldsOf(operation.method, 'params');
  const given = together([
    ['path', named],
    ['query', queryParams(query, fields)],
    ['body', bodyParams(operation, body, fields)],
  ]);
  requireAll(operation.replaces ?? [], given);
  const key = headers[KEY_HEADER];
  const keyed = typeof key === 'string' && Object.hasOwn(fields, 'idempotency_key');
  return {
    ...operation.defaults,
    ...(operation.replaces === undefined ? {} : empty(fields)),
    ...(keyed ? { idempotency_key: key } : {}),
    ...given,
  };
}

function together(sources: readonly (readonly [string, JsonObject])[]): JsonObject {
  const given = new Map<string, { readonly from: string; readonly value: Json }>();
  for (const [from, params] of sources)
    for (const [key, value] of Object.entries(params)) {
      const before = given.get(key);
      if (before !== undefined && before.value !== value) throw twice(key, before.from, from);
      given.set(key, { from, value });
    }
  return Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
}

function requireAll(names: readonly string[], given: JsonObject): void {
  for (const field of names) {
    if (Object.hasOwn(given, field)) continue;
    const reason = 'is missing';
    throw new GleitzeitError('GLZ1012', `${field}: ${reason}`, {
      field,
      reason,
      hint: 'PUT says everything anew; PATCH changes what is given',
    });
  }
}

/** Null, for all that may be null. */
function empty(fields: JsonObject): JsonObject {
  const nullable = Object.entries(fields).filter(([, schema]) =>
    formsOf(schema).some((form) => own(form, 'type') === 'null'),
  );
  return Object.fromEntries(nullable.map(([field]) => [field, null]));
}

const known = new Map<string, JsonObject>();

/** What a method takes, or answers with, by name. */
function fieldsOf(name: keyof typeof methods, of: 'params' | 'result'): JsonObject {
  const key = `${name} ${of}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const { [of]: shape }: Method = methods[name];
  const properties = own(JSON.parse(JSON.stringify(shape)) as JsonObject, 'properties');
  const fields = isObject(properties) ? properties : {};
  known.set(key, fields);
  return fields;
}

function bodyParams(operation: RestOperation, body: Json | undefined, fields: JsonObject): JsonObject {
  const { body: whole, method, echoes } = operation;
  if (body === undefined) return {};
  if (whole !== undefined) return { [whole]: body };
  if (!isObject(body)) {
    const reason = `the body must be an object, not ${kindOf(body)}`;
    throw new GleitzeitError('GLZ4006', reason, { reason, hint: 'give every param its name' });
  }
  if (echoes !== true) return body;
  const told = fieldsOf(method, 'result');
  const isEcho = (key: string) => Object.hasOwn(told, key) && !Object.hasOwn(fields, key);
  return Object.fromEntries(Object.entries(body).filter(([key]) => !isEcho(key)));
}

function twice(field: string, before: string, after: string): GleitzeitError {
  const reason = `stands in the ${before}, and differently in the ${after}`;
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, {
    field,
    reason,
    hint: `leave it out of the ${after}`,
  });
}
