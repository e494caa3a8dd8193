import { child } from '../../core/json-pointer.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { Problems } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { checkReached } from '../auth/config.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { timeoutMs } from '../timeout.ts';
import type { Ears } from './carrier.ts';
import { McpHttpConfig, McpServerConfig } from './config.ts';
import { Connection, type ConnectionParts, START_HINT } from './connection.ts';
import { createInputs, type InputConfig } from './inputs.ts';
import { programOf } from './program.ts';
import { mcpProvider, ownMethods } from './provider.ts';
import { StdioCarrier } from './stdio.ts';
import { Tools } from './tools.ts';
import { httpCarriers } from './web.ts';
import { type Within, within } from './within.ts';

export const mcpTypes: readonly ProviderType[] = [
  {
    type: 'mcp-server',
    summary: 'an MCP server that is a program, started here and spoken to over its standard input and output',
    files_only: true,
    schema: McpServerConfig,
    open: openServer,
  },
  {
    type: 'mcp-http',
    summary: 'an MCP server at an address: streamable HTTP, or the older HTTP with SSE',
    files_only: false,
    schema: McpHttpConfig,
    open: openHttp,
  },
];

const PROBE_MS = 5000;
const START_MS = 60_000;

function openServer(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(McpServerConfig, spec.config, '/config');
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  const program = { command: programOf(config), cwd: config.cwd ?? null, env: env.fill };
  return provide(spec, parts, config, {
    peer: program.command[0],
    session_only: false,
    secrets: env.values,
    carriers: (ears) => ({ open: () => new StdioCarrier(parts.channels, program, ears), openOld: null }),
  });
}

function openHttp(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(McpHttpConfig, spec.config, '/config');
  checkReached(config, '/config');
  checkLogin(config);
  const { origin, pathname } = new URL(config.url);
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const opened = httpCarriers(config, headers, parts);
  return provide(spec, parts, config, { ...opened, peer: `${origin}${pathname}` });
}

type CommonConfig = InputConfig & {
  readonly tools?: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly namespaced?: boolean;
  readonly tool_errors?: 'retry' | 'final';
  readonly output_schema?: 'warn' | 'strict' | 'off';
  readonly timeout?: number | string;
  readonly idle_timeout?: number | string;
  readonly start_timeout?: number | string;
};

type Carried = Pick<ConnectionParts, 'peer' | 'session_only'> & {
  readonly carriers: (ears: Ears) => ConnectionParts['carriers'];
  /** What the server is told in confidence. */
  readonly secrets: () => readonly string[];
};

/** The carrier is opened last: a mistake in the rest leaves nothing behind. */
function provide(
  { id, protocol }: ProviderSpec,
  parts: ProviderParts,
  config: CommonConfig,
  carried: Carried,
): Provider {
  checkTools(config.tools ?? {}, parts.methods);
  const limits = {
    timeout_ms: durationMs(config.timeout, '/config/timeout'),
    idle_ms: durationMs(config.idle_timeout, '/config/idle_timeout'),
  };
  const start_ms = durationMs(config.start_timeout, '/config/start_timeout') ?? START_MS;
  const inputs = createInputs(config);
  const ears: Ears = {
    asked: inputs.asked,
    noted: ({ method }) => {
      if (method === 'notifications/tools/list_changed') tools.forget();
    },
  };
  const { version = 'auto' } = config;
  const connection = new Connection({
    ...carried,
    carriers: carried.carriers(ears),
    self: selfOf(parts, inputs.capabilities),
    version: version === 'auto' ? null : version,
    answers: Object.keys(inputs.capabilities).length > 0,
    timers: parts.timers,
    probe_ms: Math.min(PROBE_MS, start_ms / 4),
    start_ms,
  });
  const limit = { ms: start_ms, late: `${carried.peer} did not list its tools`, hint: START_HINT };
  const tools = toolsOf(connection, parts, limit);
  const named = new Map(Object.entries(config.tools ?? {}));
  return mcpProvider({
    id,
    protocol,
    connection,
    tools,
    inputs,
    limits,
    toolOf: (method) => named.get(method) ?? (ownMethods.includes(method) ? null : method),
    policy: {
      output_schema: config.output_schema ?? 'warn',
      tool_errors: config.tool_errors ?? 'retry',
      judge: parts.judge ?? null,
      warn: (message, fields) => parts.logger?.warn(message, fields),
    },
    namespaced: config.namespaced ?? false,
    timers: parts.timers,
    clock: parts.clock,
    secrets: () => [...carried.secrets(), ...(parts.hidden?.() ?? [])],
  });
}

const TASKS = 'io.modelcontextprotocol/tasks';

function selfOf({ version = '0' }: ProviderParts, capabilities: object): ConnectionParts['self'] {
  return {
    info: { name: 'gleitzeit', version },
    capabilities: { ...capabilities, extensions: { [TASKS]: {} } },
  };
}

/** Asked for by nobody's call alone, so that none of them ends it. */
function toolsOf(connection: Connection, { timers, clock }: ProviderParts, limit: Within): Tools {
  let asked = 0;
  const method = 'tools/list';
  const heard = () => {};
  return new Tools(async (params) => {
    const id = `gleitzeit-tools-${++asked}`;
    // Until it can be spoken to at all, that has a limit of its own, and a better reason.
    await connection.ready(new AbortController().signal);
    return within(timers, limit, (signal) => connection.request({ id, method, params, signal, heard }));
  }, clock);
}

/** Two ways to show who we are would be sent in one place. */
function checkLogin(config: {
  readonly auth?: unknown;
  readonly oauth?: unknown;
  readonly headers?: object;
}): void {
  if (config.oauth === undefined) return;
  const problems = new Problems();
  const hint = 'leave one of them out';
  const add = (field: string) => problems.add('GLZ1012', { field, reason: 'is what oauth sends', hint });
  if (config.auth !== undefined) add('/config/auth');
  const twice = Object.keys(config.headers ?? {}).find((name) => name.toLowerCase() === 'authorization');
  if (twice !== undefined) add(`/config/headers/${twice}`);
  problems.throwIfAny();
}

/** A method that the protocol does not have would never be called: it is misspelt. */
function checkTools(tools: Readonly<Record<string, string>>, known: readonly string[]): void {
  const problems = new Problems();
  for (const name of Object.keys(tools)) {
    if (known.includes(name)) continue;
    const reason = `the protocol has no method ${JSON.stringify(name)}`;
    const hint = didYouMean(name, known, 'its methods');
    problems.add('GLZ1012', { field: child('/config/tools', name), reason, hint });
  }
  problems.throwIfAny();
}

function durationMs(value: number | string | undefined, field: string): number | null {
  return value === undefined ? null : timeoutMs(value, field);
}
