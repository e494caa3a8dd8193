import { GleitzeitError } from '../../core/errors.ts';
import { type Json, type JsonObject, own } from '../../core/json.ts';
import { toolFailure, toolValue } from './answer.ts';
import type { Connection } from './connection.ts';
import { type Conversation, whole } from './conversation.ts';
import { HEADER_MISMATCH } from './revisions.ts';
import { followTask, resumeTask, taskIn } from './tasks.ts';
import { mirroredHeaders } from './tool-headers.ts';
import { ownName, type Tool, type Tools } from './tools.ts';

/** What is wrong with a value, in words; null for nothing. */
export type Judge = (schema: JsonObject) => (value: Json) => string | null;

export type ToolPolicy = {
  /** What is done where a result does not fit the schema that the server gave for it. */
  readonly output_schema: 'strict' | 'warn' | 'off';
  /** Whether a tool that reports an error may be called again. */
  readonly tool_errors: 'retry' | 'final';
  readonly judge: Judge | null;
  readonly warn: (message: string, fields: Readonly<Record<string, string>>) => void;
};

type Parts = {
  readonly id: string;
  readonly connection: Connection;
  readonly tools: Tools;
  readonly policy: ToolPolicy;
};

type Called = { readonly name: string; readonly params: JsonObject };

/** The result of a tool as MCP has it, never one that reports an error. */
export async function callTool(parts: Parts, talk: Conversation, called: Called): Promise<JsonObject> {
  const resumed = await resumeTask(talk, called.name);
  if (resumed !== null) return judgeResumed(parts, talk, { name: called.name, result: resumed });
  const known = await parts.tools.list(talk.signal);
  const name = ownName(parts.id, called.name, known);
  const named = { ...called, named: called.name };
  try {
    return await callNamed(parts, talk, { ...named, name, tool: known.get(name) ?? null });
  } catch (thrown) {
    // The arguments that stand in headers have changed since the tools were listed.
    if (!(thrown instanceof GleitzeitError) || thrown.details.remote_code !== HEADER_MISMATCH) throw thrown;
    parts.tools.forget();
    const tool = (await parts.tools.list(talk.signal)).get(name) ?? null;
    return callNamed(parts, talk, { ...named, name, tool });
  }
}

async function callNamed(
  parts: Parts,
  talk: Conversation,
  { name, named, params, tool }: Called & { readonly named: string; readonly tool: Tool | null },
): Promise<JsonObject> {
  const { era } = await parts.connection.ready(talk.signal);
  const modern = era === 'modern' && parts.connection.over_http;
  if (modern && tool !== null && tool.invalid !== null)
    throw new GleitzeitError('GLZ2010', `the tool ${name} cannot be called: ${tool.invalid}`);
  const args = own(params, 'arguments') ?? {};
  const headers = modern ? mirroredHeaders(tool?.mirrored ?? [], args as Json) : {};
  const task = era === 'session' && tool?.task_required === true ? { task: {} } : {};
  const first = await talk.askThrough('tools/call', { ...params, ...task, name }, headers);
  const made = taskIn(first);
  const result = made === null ? whole(first) : await followTask(talk, made, named);
  return judged(parts, result, { name, tool });
}

/** A result is there, and is not lost because the tools cannot be listed just now. */
async function judgeResumed(
  parts: Parts,
  talk: Conversation,
  { name, result }: { readonly name: string; readonly result: JsonObject },
): Promise<JsonObject> {
  const known = await parts.tools.list(talk.signal).catch(() => new Map<string, Tool>());
  const real = ownName(parts.id, name, known);
  return judged(parts, result, { name: real, tool: known.get(real) ?? null });
}

function judged(
  parts: Parts,
  result: JsonObject,
  { name, tool }: { readonly name: string; readonly tool: Tool | null },
): JsonObject {
  if (own(result, 'isError') === true) throw toolFailure(result, name, parts.policy.tool_errors === 'retry');
  if (tool !== null) judge(parts, tool, result);
  return result;
}

/** Judges by the schemas that servers gave, each read once. */
const judges = new WeakMap<JsonObject, (value: Json) => string | null>();

/** Only what was structured, or what the text says in its place: a result that reports an error never comes here. */
function judge({ id, policy }: Parts, { name, output_schema }: Tool, result: JsonObject): void {
  if (output_schema === null || policy.output_schema === 'off' || policy.judge === null) return;
  const structured = own(result, 'structuredContent') as Json | undefined;
  const trouble = judgeFor(output_schema, policy.judge, (reason) =>
    policy.warn('the output schema of a tool cannot be used', { provider: id, tool: name, reason }),
  )(structured ?? toolValue(result));
  if (trouble === null) return;
  const reason = `the result of the tool ${name} does not fit its output schema: ${trouble}`;
  if (policy.output_schema === 'strict') throw new GleitzeitError('GLZ2005', reason, { reason: trouble });
  const fields = { provider: id, tool: name, reason: trouble };
  policy.warn('the result of a tool does not fit its output schema', fields);
}

/** A schema that cannot be read judges nothing; that is told once. */
function judgeFor(schema: JsonObject, made: Judge, unusable: (reason: string) => void) {
  const known = judges.get(schema);
  if (known !== undefined) return known;
  let found: (value: Json) => string | null = () => null;
  try {
    found = made(schema);
  } catch (thrown) {
    unusable(GleitzeitError.from(thrown).message);
  }
  judges.set(schema, found);
  return found;
}
