import { errorCodes } from '../core/error-codes.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Components, hoist } from './components.ts';
import type { Method } from './method.ts';
import { methods } from './methods.ts';
import { REST_PATH, type RestOperation, restOperations } from './rest.ts';
import { errorShape } from './shapes/error.ts';

/** The REST API as an OpenAPI 3.1 document, made of the same schemas that requests are judged by. */
export function openApiDocument(version: string): JsonObject {
  const found: Components = new Map();
  const byPath = Map.groupBy(restOperations, ({ path }) => path);
  const paths = Object.fromEntries(
    [...byPath].map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((one) => [one.http.toLowerCase(), describe(one, found)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gleitzeit',
      version,
      description: 'Durable workflows over any agent. Each request is a method of the JSON-RPC API.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: REST_PATH }],
    security: [{ key: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'a key of the server' } },
    },
  };
}

function describe(operation: RestOperation, found: Components): JsonObject {
  const method: Method = methods[operation.method];
  const { summary = method.summary, http, path } = operation;
  const { description } = method;
  return {
    operationId: operationId(operation),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [path.split('/')[1] ?? ''],
    'x-method': operation.method,
    'x-role': method.role,
    parameters: parametersOf(operation, method, found),
    ...(http === 'GET' || http === 'DELETE' ? {} : { requestBody: bodyOf(operation, method, found) }),
    responses: responsesOf(operation, method, found),
  };
}

/** `GET /runs/{workflow_id}/steps` → `get_runs_steps_by_workflow_id`. */
function operationId({ http, path }: RestOperation): string {
  const segments = path.slice(1).split('/');
  const words = segments.filter((one) => !one.startsWith('{'));
  const names = segments.filter((one) => one.startsWith('{')).map((one) => one.slice(1, -1));
  return [http.toLowerCase(), ...words, ...(names.length > 0 ? ['by', ...names] : [])].join('_');
}

export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The params of the method that are not in the path. */
export function otherParams(
  { path, replaces = [] }: RestOperation,
  { params }: Method,
): { readonly properties: JsonObject; readonly required: readonly string[] } {
  const { properties, required } = JSON.parse(JSON.stringify(params)) as JsonObject;
  const inPath = namesIn(path);
  return {
    properties: Object.fromEntries(
      Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !inPath.includes(name)),
    ),
    required: [...replaces, ...(Array.isArray(required) ? required : [])]
      .map(String)
      .filter((name) => !inPath.includes(name)),
  };
}

function parametersOf(operation: RestOperation, method: Method, found: Components): Json[] {
  const inPath = namesIn(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  if (operation.http !== 'GET') return inPath;
  const { properties, required } = otherParams(operation, method);
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const { description } = schema as JsonObject;
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: hoist(schema as JsonObject, found),
    };
  });
  return [...inPath, ...inQuery];
}

function bodyOf(operation: RestOperation, method: Method, found: Components): JsonObject {
  const { properties, required } = otherParams(operation, method);
  const { body } = operation;
  const whole = body === undefined ? undefined : properties[body];
  const schema = isObject(whole)
    ? whole
    : { type: 'object', properties, required: [...required], additionalProperties: false };
  return {
    required: body !== undefined || required.length > 0,
    content: { 'application/json': { schema: hoist(schema, found) } },
  };
}

function responsesOf(operation: RestOperation, method: Method, found: Components): JsonObject {
  const { status, location } = operation;
  const result = { 'application/json': { schema: hoist(method.result, found) } };
  const ok: JsonObject = {
    description: status === 204 ? 'done' : 'as the method answers',
    ...(status === 204 ? {} : { content: result }),
    ...(location === undefined
      ? {}
      : { headers: { location: { description: `where it is: ${location}`, schema: { type: 'string' } } } }),
  };
  const error = {
    description: `an error; its own codes are ${method.errors.map((code) => `${code} ${errorCodes[code].name}`).join(', ') || 'none'}`,
    content: {
      'application/json': {
        schema: { type: 'object', properties: { error: hoist(errorShape, found) }, required: ['error'] },
      },
    },
  };
  return { [String(status)]: ok, default: error };
}
