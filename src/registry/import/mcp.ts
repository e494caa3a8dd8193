import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import { described } from './described.ts';
import { schemaImporter } from './import-schema.ts';
import { type Imported, type ImportOptions, methodNames } from './imported.ts';

/** Methods of MCP itself: a tool of such a name has to be told from them. */
const ownMethods = new Set([
  ...['ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read', 'resources/templates/list'],
  ...['prompts/list', 'prompts/get', 'completion/complete'],
]);

/** The tools of an MCP server, as `tools/list` answers them: every tool is a method. */
export function fromMcp(document: JsonObject, options: ImportOptions): Imported {
  const named = methodNames();
  const tools = listIn(document, 'tools')
    .filter(isObject)
    .filter((tool) => textIn(tool, 'name') !== null);
  const read = tools.map((tool) => {
    const written = textIn(tool, 'name') ?? '';
    return { name: named(written), written, definition: definitionOf(tool) };
  });
  const renamed = read.filter(({ name, written }) => name !== written || ownMethods.has(name));
  const entry = {
    name: options.name ?? 'tools/v1',
    description: 'The tools of an MCP server.',
    methods: Object.fromEntries(read.map(({ name, definition }) => [name, definition])),
    providers: [
      {
        type: 'mcp-http',
        config: {
          url: options.url ?? 'https://service.example/mcp',
          ...(renamed.length === 0
            ? {}
            : { tools: Object.fromEntries(renamed.map(({ name, written }) => [name, written])) }),
        },
      },
    ],
  };
  const notes =
    options.url === null ? ['put in the url of the server, or make it a mcp-server with a command'] : [];
  return { entry, notes };
}

function definitionOf(tool: JsonObject): JsonObject {
  const { readOnlyHint, idempotentHint } = objectIn(tool, 'annotations');
  const output = own(tool, 'outputSchema');
  return {
    ...described(tool),
    ...(readOnlyHint === true || idempotentHint === true ? { idempotent: true } : {}),
    params: paramsOf(tool),
    ...(isObject(output) ? { returns: schemaImporter(output)(output) } : {}),
  };
}

/** References in a schema of a tool count from that schema. */
function paramsOf(tool: JsonObject): Json {
  const input = own(tool, 'inputSchema');
  const made = isObject(input) ? schemaImporter(input)(input) : {};
  return { type: 'object', ...(isObject(made) ? made : {}) };
}
