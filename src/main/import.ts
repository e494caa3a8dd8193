import { GleitzeitError } from '../core/errors.ts';
import { type Json, type JsonObject, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import { createProvider } from '../dialects/registry.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { parseYaml } from '../files/yaml.ts';
import {
  type Imported,
  type ImportKind,
  type ImportOptions,
  importProtocol,
} from '../registry/import/index.ts';
import { lineLogger } from '../telemetry/logger.ts';
import { channelFactories } from './channels.ts';

export { type ImportKind, importKinds } from '../registry/import/index.ts';

export type ImportRequest = ImportOptions & {
  readonly kind: ImportKind | null;
  /** The document itself, or where to ask for it. */
  readonly from:
    | { readonly text: Uint8Array; readonly file: string }
    | { readonly url: string }
    | { readonly command: readonly string[] };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

const WAIT_MS = 30_000;

/** A protocol made of what a service says of itself, in a file or when it is asked. */
export async function importFrom(request: ImportRequest): Promise<Imported> {
  const { from, kind, name } = request;
  if ('text' in from) {
    return importProtocol(documentIn(from.text, from.file), kind, request);
  }
  if ('command' in from) {
    const { entry, notes } = importProtocol(await toolsOf(request), 'mcp', request);
    const providers = [{ type: 'mcp-server', config: { command: [...from.command], ...toolNames(entry) } }];
    return { entry: { ...entry, providers }, notes: notes.slice(0, 0) };
  }
  const url = request.url ?? (kind === null || kind === 'openapi' ? null : from.url);
  if (kind === 'mcp') return importProtocol(await toolsOf(request), kind, { name, url: from.url });
  return importProtocol(await documentAt(from.url, request), kind, { name, url });
}

function toolNames({ providers }: JsonObject): JsonObject {
  const [provider] = providers as readonly [{ readonly config: JsonObject }];
  const { tools } = provider.config;
  return tools === undefined ? {} : { tools };
}

const silent = lineLogger(
  'silent',
  () => {},
  () => new Date(),
);

function channels({ cwd, env }: Pick<ImportRequest, 'cwd' | 'env'>) {
  return channelFactories({ logger: silent, folder: cwd, environment: env });
}

/** What a server of MCP answers when it is asked for its tools. */
async function toolsOf(request: ImportRequest): Promise<unknown> {
  const { from } = request;
  const spec =
    'command' in from
      ? { type: 'mcp-server', config: { command: [...from.command] } }
      : { type: 'mcp-http', config: { url: 'url' in from ? from.url : '' } };
  const provider = createProvider(
    { id: 'imported', protocol: 'mcp/v1', ...spec },
    {
      channels: channels(request),
      secrets: () => '',
      timers: systemTimers,
      clock: systemClock,
      methods: ['tools/list'],
    },
  );
  try {
    const answer = await provider.call({
      ...{
        method: 'tools/list',
        params: {},
        call_id: 'import',
        task_id: 'import',
        workflow_id: null,
        attempt: 1,
      },
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (answer.word === 'done') return JSON.parse(answer.result);
    if (answer.word === 'failed')
      throw new GleitzeitError(answer.error.data.error_code, answer.error.message, answer.error.data);
    throw new GleitzeitError('GLZ2001', 'the server did not list its tools');
  } finally {
    await provider.close?.();
  }
}

/** Documents of whole APIs are large; as JSON they are read in a moment, as YAML only so far. */
function documentIn(content: Uint8Array, file: string): unknown {
  const text = new TextDecoder().decode(content);
  if (!text.trimStart().startsWith('{')) return parseYaml(content, yaml(file)).value;
  if (jsonDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw new GleitzeitError('GLZ1012', `${file} is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(content, yaml(file)).value;
  }
}

function yaml(file: string) {
  return { file, code: 'GLZ1012', refused_keys: [] } as const;
}

/** What is sent to be told of everything, by kind; a document that lies there is fetched. */
const questions: Readonly<Partial<Record<ImportKind, Json>>> = {
  openrpc: { jsonrpc: '2.0', id: 1, method: 'rpc.discover' },
  graphql: {
    query: `{ __schema { queryType { name } mutationType { name } types { kind name
      fields { name description args { name defaultValue type { ...T } } type { ...T } }
      inputFields { name type { ...T } } enumValues { name } } } }
      fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`,
  },
};

async function documentAt(address: string, request: ImportRequest): Promise<unknown> {
  const { kind } = request;
  const question = kind === null ? undefined : questions[kind];
  const asked = question !== undefined && !/\.(?:json|ya?ml)$/i.test(address);
  const web = channels(request).web({
    url: address,
    tls: null,
    credentials: null,
    connections: 1,
    redirects: 5,
  });
  try {
    const { status, body } = await web.request({
      method: asked ? 'POST' : 'GET',
      url: new URL(address),
      headers: {
        accept: 'application/json, */*;q=0.5',
        ...(asked ? { 'content-type': 'application/json' } : {}),
      },
      body: asked ? JSON.stringify(question) : null,
      signal: AbortSignal.timeout(WAIT_MS),
      max_bytes: MAX_PAYLOAD,
    });
    if (status !== 200) throw new GleitzeitError('GLZ2010', `${address} answered HTTP ${status}`);
    return documentIn(body, address);
  } finally {
    await web.close();
  }
}
