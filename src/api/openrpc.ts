import { type ErrorCode, errorCodes } from '../core/error-codes.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Components, hoist } from './components.ts';
import { commonErrors, type Method } from './method.ts';
import { methodEntries } from './methods.ts';
import { eventNotification } from './shapes/event.ts';

/** The control API as an OpenRPC 1.3.2 document, the newest version that the tools around it read. */
export function openRpcDocument({ version, url }: { version: string; url: string }): JsonObject {
  const found: Components = new Map();
  const methods = methodEntries.map(([name, method]) => describeMethod(name, method, found));
  const notification = hoist(eventNotification, found);
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Gleitzeit',
      version,
      description: 'Durable workflows over any agent that speaks JSON-RPC 2.0',
      license: { name: 'MIT' },
    },
    servers: [{ name: 'this server', url }],
    methods,
    components: { schemas: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))) },
    'x-notifications': [
      { name: 'event', summary: 'What a subscription tells, over WebSocket', params: notification },
    ],
  };
}

function describeMethod(name: string, method: Method, found: Components): JsonObject {
  const { summary, description, role, result } = method;
  return {
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [{ name: name.slice(0, name.indexOf('.')) }],
    paramStructure: 'by-name',
    params: describeParams(method, found),
    result: { name: 'result', schema: hoist(result, found) },
    errors: groupErrors([...method.errors, ...commonErrors]),
    examples: method.examples.map((example) => ({
      name: example.name,
      params: Object.entries(example.params as JsonObject).map(([key, value]) => ({ name: key, value })),
      result: { name: 'result', value: example.result as Json },
    })),
    'x-role': role,
    'x-needs-connection': method.needs_connection === true,
  };
}

function describeParams({ params }: Method, found: Components): Json[] {
  const { properties, required } = JSON.parse(JSON.stringify(params)) as JsonObject;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { description } = schema as JsonObject;
    return {
      name,
      ...(description === undefined ? {} : { description }),
      required: needed.includes(name),
      schema: hoist(schema as JsonObject, found),
    };
  });
}

/** OpenRPC wants each JSON-RPC code once; ours are in `data.error_code`, as in the errors themselves. */
function groupErrors(codes: readonly ErrorCode[]): Json[] {
  const byRpc = Map.groupBy([...new Set(codes)].sort(), (code) => errorCodes[code].rpc);
  return [...byRpc].map(([code, ours]) => ({
    code,
    message: ours.map((our) => errorCodes[our].name).join(', '),
    data: { error_code: ours },
  }));
}
