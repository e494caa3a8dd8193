import type { JsonObject } from '../../core/json.ts';
import { isObject, own } from '../../core/json.ts';

/** What we say of ourselves. */
export type Self = { readonly info: JsonObject; readonly capabilities: JsonObject };

export type Envelope = {
  /** The revision, where every request names it. */
  readonly version: string | null;
  readonly self: Self;
  /** Asks for notifications of progress, which are found by it. */
  readonly token: string | null;
  readonly traceparent?: string | undefined;
};

const META = 'io.modelcontextprotocol/';

/** The params with everything that MCP puts beside them. What a task gave in `_meta` stays, unless it is ours to say. */
export function withMeta(params: JsonObject, { version, self, token, traceparent }: Envelope): JsonObject {
  const given = own(params, '_meta');
  const ours = {
    ...(version === null
      ? {}
      : {
          [`${META}protocolVersion`]: version,
          [`${META}clientInfo`]: self.info,
          [`${META}clientCapabilities`]: self.capabilities,
        }),
    ...(token === null ? {} : { progressToken: token }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const meta = { ...(isObject(given) ? given : {}), ...ours };
  return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
}

/** Params that stand in a header as well, by method. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** What the newer era repeats in headers, so that whoever stands between need not read the body. */
export function modernHeaders(method: string, params: JsonObject, version: string): Record<string, string> {
  const key = own(named, method);
  const name = typeof key === 'string' ? own(params, key) : undefined;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** As it is where a header can carry it, else in Base64 between marks. */
export function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) || text === '';
  const marked = text.startsWith('=?base64?') && text.endsWith('?=');
  return plain && !marked ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
