import { commonErrors, type Method } from '../../api/method.ts';
import { type MethodName, methods } from '../../api/methods.ts';
import { type ErrorCode, errorCodes, isErrorCode } from '../../core/error-codes.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { schemaCompiler } from '../../registry/compile.ts';
import { explain } from '../../registry/schema-errors.ts';
import type { RpcAnswer } from './house.suite.ts';

const compile = schemaCompiler();
const compiled = new Map<string, ReturnType<typeof compile>>();

/** What is wrong with an answer, by the method table; undefined where nothing is. */
export function misfit(name: MethodName, answer: RpcAnswer): string | undefined {
  const method = methods[name] as Method;
  if (answer.error !== undefined) return errorMisfit(method, answer.error);
  const schema =
    compiled.get(name) ??
    compile(`/${name}`, closed(JSON.parse(JSON.stringify(method.result))) as JsonObject);
  compiled.set(name, schema);
  const errors = schema.check(answer.result ?? null);
  return errors === undefined ? undefined : JSON.stringify(explain(errors, []));
}

function errorMisfit(
  method: Method,
  { code, data, message }: NonNullable<RpcAnswer['error']>,
): string | undefined {
  const allowed: readonly ErrorCode[] = [...method.errors, ...commonErrors];
  const { error_code } = data;
  if (!isErrorCode(error_code)) return `no code of ours: ${JSON.stringify(data)}`;
  if (!allowed.includes(error_code)) return `${error_code} is not documented: ${message}`;
  if (error_code === 'GLZ9001') return `a mistake of ours: ${message}`;
  return errorCodes[error_code].rpc === code ? undefined : `${error_code} does not travel with ${code}`;
}

/** With no keys but those that are described: what is told must be told of. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return isObject(inner['properties']) && inner['type'] === 'object'
    ? { ...inner, additionalProperties: false }
    : inner;
}
