import { AGENT_PROTOCOL } from '../../core/agent.ts';
import { type JsonObject, own } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { oneOf } from '../describe.ts';
import type { Path } from '../path.ts';
import { NOTHING } from '../problems.ts';
import { type KnownProtocols, type Methods, methodsOf } from './known.ts';
import type { Reading } from './older.ts';

/** What a task calls. */
export type Call = {
  readonly protocol: string;
  readonly method: string;
  /** Where the protocol is named: by its own key, or in the method. */
  readonly protocol_at: Path;
  readonly method_at: Path;
  /** The one agent it is for. */
  readonly agent?: string;
  /** Makes the params of what is written, where that is something else: the arguments of a function or a tool. */
  readonly paramsOf?: (written: JsonObject) => JsonObject;
};

export type CallParts = Reading & {
  readonly protocols: KnownProtocols | undefined;
  /** For tasks that name none themselves. */
  readonly protocol?: { readonly name: string; readonly at: Path } | undefined;
};

/**
 * The protocol and the method of a task. Without a protocol it is the first part of the method (`llm/chat` → `llm/v1`),
 * and beside one the method may repeat that part. A method that is really called so is left as it is.
 */
export function readCall(raw: JsonObject, at: Path, parts: CallParts): Call | null {
  const method = textOf(raw, 'method');
  const given = textOf(raw, 'protocol');
  const method_at = [...at, 'method'];
  if (method === null) {
    reportNoMethod(raw, at, parts);
    return null;
  }
  const named = given === null ? parts.protocol : { name: given, at: [...at, 'protocol'] };
  const slash = method.indexOf('/');
  if (named === undefined && slash < 1) {
    reportMissing(raw, at, parts);
    return null;
  }
  const protocol = named?.name ?? `${method.slice(0, slash)}/v1`;
  const rest = method.slice(slash + 1);
  const repeats = slash > 0 && rest !== '' && method.startsWith(`${protocol.split('/')[0]}/`);
  const known = parts.protocols === undefined ? undefined : methodsOf(parts.protocols, protocol);
  const isCalledSo = (name: string) => known !== undefined && Object.hasOwn(known, name);
  const meant = repeats && !isCalledSo(method) ? rest : method;
  const places = { protocol_at: named?.at ?? method_at, method_at };
  const tool = /^tool\.(.+)$/.exec(meant)?.[1];
  if (protocol === MCP && tool !== undefined && !isCalledSo(meant)) {
    const message = 'calls a tool in the older way';
    const hint = `write protocol: ${MCP}, method: tools/call and params: {name: ${tool}, arguments: {…}}`;
    parts.note({ path: method_at, part: 'value', message, hint });
    const paramsOf = (written: JsonObject) => ({ name: tool, arguments: written });
    return { protocol, method: 'tools/call', ...places, paramsOf };
  }
  if (named === undefined) {
    const message = `names its protocol in the older way: ${protocol}`;
    parts.note({
      path: method_at,
      part: 'value',
      message,
      hint: `write protocol: ${protocol} and method: ${meant}`,
    });
  } else if (meant !== method) {
    const message = `repeats its protocol in the older way`;
    parts.note({ path: method_at, part: 'value', message, hint: `write method: ${meant}` });
  }
  return { protocol, method: meant, ...places };
}

/** The protocol whose tools earlier generations wrote as methods: `mcp/tool.add`. */
const MCP = 'mcp/v1';

function textOf(raw: JsonObject, key: string): string | null {
  const value = own(raw, key);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Where something else than text stands there, somebody has been told. */
function reportNoMethod(raw: JsonObject, at: Path, { report }: CallParts): void {
  if (Object.hasOwn(raw, 'method')) return;
  const [expected, hint] = ['text that is not empty', 'it is text that is not empty'];
  report({ path: [...at, 'method'], part: 'key', message: 'is missing', found: NOTHING, expected, hint });
}

function reportMissing(raw: JsonObject, at: Path, { report, protocols }: CallParts): void {
  if (Object.hasOwn(raw, 'protocol')) return;
  const known = protocols?.names() ?? [];
  const hint =
    known.length === 0 ? 'a task names what it calls, such as web-search/v1' : `known: ${known.join(', ')}`;
  const said = { message: 'is missing', found: NOTHING, expected: oneOf(known) ?? 'a protocol' };
  report({ path: [...at, 'protocol'], part: 'key', ...said, hint });
}

/** The methods of what is called, where they are known; whoever calls something that is not there is told. */
export function findMethod(call: Call, { protocols, report }: CallParts): Methods[string] | undefined {
  if (protocols === undefined) return undefined;
  const methods = methodsOf(protocols, call.protocol);
  // The protocol of agents is built in, whatever is listed here.
  const isElsewhere = protocols.partial === true || call.protocol === AGENT_PROTOCOL;
  if (methods === undefined && isElsewhere) return undefined;
  if (methods === undefined) {
    const hint = didYouMean(call.protocol, protocols.names(), 'known protocols');
    const message = `no protocol is called "${call.protocol}"`;
    const said = { message, found: JSON.stringify(call.protocol), expected: oneOf(protocols.names()) };
    report({ path: call.protocol_at, part: 'value', ...said, hint, code: 'GLZ1003' });
    return undefined;
  }
  const found = own(methods, call.method) as Methods[string] | undefined;
  if (found === undefined) {
    const message = `protocol "${call.protocol}" has no method "${call.method}"`;
    const hint = didYouMean(call.method, Object.keys(methods), 'its methods');
    const said = { message, found: JSON.stringify(call.method), expected: oneOf(Object.keys(methods)) };
    report({ path: call.method_at, part: 'value', ...said, hint, code: 'GLZ1004' });
  }
  return found;
}
