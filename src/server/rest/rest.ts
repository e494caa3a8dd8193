import { openApiDocument } from '../../api/openapi.ts';
import { OPENAPI_PATH, REST_PATH, type RestOperation } from '../../api/rest.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { MethodTable, ObserveCall } from '../../rpc/dispatch.ts';
import type { Connection, PlainAnswer, TreeRequest, TreeRoute } from '../../rpc/listener/route.ts';
import { RawJson } from '../../rpc/messages.ts';
import type { SystemFacts } from '../parts.ts';
import { type Matched, matchRest, methodsAt, resourcesFor } from './match.ts';
import { paramsOf } from './params.ts';

export type RestParts = {
  /** Those that JSON-RPC calls: who may, and with which params, is judged there. */
  readonly methods: MethodTable<Connection>;
  readonly system: SystemFacts;
  readonly clock: Clock;
  readonly observe?: ObserveCall | undefined;
};

const JSON_TYPE = 'application/json; charset=utf-8';
const document = `${REST_PATH}${OPENAPI_PATH}`;

/** The methods of the control API as resources, for people and scripts. No second implementation: only other clothes. */
export function restRoute(parts: RestParts): TreeRoute {
  return {
    kind: 'tree',
    path: REST_PATH,
    methodsAt: (path) => (path === document ? ['GET', 'HEAD'] : methodsAt(path)),
    there: (path) => [...resourcesFor(path), document],
    answer: (request) => (request.path === document ? openApi(parts) : answer(parts, request)),
  };
}

function openApi({ system }: RestParts): PlainAnswer {
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(openApiDocument(system.version)) };
}

async function answer(parts: RestParts, request: TreeRequest): Promise<PlainAnswer> {
  const matched = matchRest(request.method, request.path);
  if (matched === undefined) throw new GleitzeitError('GLZ9001', `nothing is at ${request.path}`);
  const { operation, named } = matched;
  const params = paramsOf(operation, named, request);
  if (operation.first !== undefined) await call(parts, operation.first, { params: named, request });
  const result = await call(parts, operation.method, { params, request });
  if (operation.status === 204) return { status: 204, type: JSON_TYPE, body: '' };
  if (result instanceof RawJson) return { status: operation.status, type: JSON_TYPE, body: result.text };
  const shown = isObject(result) ? result : {};
  if (operation.found !== undefined) refuseNone(matched, shown);
  return {
    status: own(shown, 'created') === false ? 200 : operation.status,
    type: JSON_TYPE,
    body: JSON.stringify(result ?? null),
    headers: locationOf(operation, shown),
  };
}

type Asked = { readonly params: JsonObject; readonly request: TreeRequest };

async function call(
  { methods, clock, observe }: RestParts,
  name: RestOperation['method'],
  { params, request: { connection, signal } }: Asked,
): Promise<unknown> {
  const handler = methods.get(name);
  if (handler === undefined) throw new GleitzeitError('GLZ4007', `there is no method ${name}`);
  const began = clock.monotonic();
  const told = (code: number | null) => observe?.(name, clock.monotonic() - began, code);
  try {
    const result = await handler({ params, context: connection, signal, id: null });
    told(null);
    return result;
  } catch (thrown) {
    told(GleitzeitError.from(thrown).toRecord().code);
    throw thrown;
  }
}

function refuseNone({ named }: Matched, { items }: JsonObject): void {
  if (Array.isArray(items) && items.length > 0) return;
  const [name] = Object.values(named);
  throw new GleitzeitError('GLZ1010', `nothing is called "${String(name)}"`, { field: 'name' });
}

function locationOf({ location }: RestOperation, result: JsonObject): Record<string, string> {
  if (location === undefined) return {};
  const path = location.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(own(result, key))),
  );
  return { location: `${REST_PATH}${path}` };
}
