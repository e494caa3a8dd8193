import process from 'node:process';
import { isObject, type Json, type JsonObject, own } from '../../src/core/json.ts';
import type { Provider } from '../../src/core/ports/provider.ts';
import { openConformant } from './conformant.ts';

/**
 * The client under test of the conformance suite of MCP: a provider of ours, told to do what a scenario needs. The suite gives
 * the address as the last argument and the rest in the environment.
 */
const url = String(process.argv.at(-1));
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as JsonObject;
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';

const provider = openConformant(url, { scenario, context });
let calls = 0;

async function ask(method: string, params: JsonObject): Promise<Json> {
  const call_id = `conformance-${++calls}`;
  const answer = await provider.call({
    method,
    params,
    call_id,
    task_id: call_id,
    workflow_id: null,
    attempt: 1,
    signal: AbortSignal.timeout(20_000),
  });
  if (answer.word === 'done') return JSON.parse(answer.result) as Json;
  throw new Error(`${method}: ${JSON.stringify(answer)}`);
}

async function items(method: string, key: string): Promise<JsonObject[]> {
  const result = await ask(method, {}).catch(() => ({}));
  const found = isObject(result) ? own(result, key) : undefined;
  return Array.isArray(found) ? (found as Json[]).filter(isObject) : [];
}

/** An argument that fits what a schema says of it. */
function sample(schema: unknown): Json {
  const type = isObject(schema) ? own(schema, 'type') : undefined;
  if (type === 'number' || type === 'integer') return 5;
  if (type === 'boolean') return true;
  if (type === 'object') return {};
  return type === 'array' ? [] : 'text';
}

function argumentsFor(tool: JsonObject): JsonObject {
  const schema = own(tool, 'inputSchema');
  const properties = isObject(schema) ? own(schema, 'properties') : undefined;
  const entries = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(entries.map(([name, property]) => [name, sample(property)]));
}

async function everything(): Promise<void> {
  const listed = await ask('tools/list', {});
  const tools = (isObject(listed) ? (own(listed, 'tools') as JsonObject[]) : []) ?? [];
  const given = own(context, 'toolCalls');
  const named = Array.isArray(given) ? (given as JsonObject[]) : null;
  // A server that has tools only to be listed.
  if (scenario === 'json-schema-ref-no-deref') return;
  const toCall =
    named ?? tools.map((tool) => ({ name: tool['name'] as Json, arguments: argumentsFor(tool) }));
  for (const call of toCall) await ask('tools/call', call);
  for (const { uri } of await items('resources/list', 'resources'))
    await ask('resources/read', { uri: uri as Json });
  for (const { name } of await items('prompts/list', 'prompts'))
    await ask('prompts/get', { name: name as Json });
}

/** What the suite gives of a schema goes back as it came. */
async function preservation(): Promise<void> {
  const tools = await items('tools/list', 'tools');
  const focal = tools.find(({ name }) => name !== 'json_schema_echo');
  await ask('tools/call', {
    name: 'json_schema_echo',
    arguments: { schema: focal?.['inputSchema'] ?? null },
  });
}

try {
  await (scenario === 'json-schema-2020-12-preservation' ? preservation() : everything());
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
} finally {
  await (provider as Provider).close?.();
}
