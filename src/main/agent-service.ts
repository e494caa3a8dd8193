import { AGENT_METHOD, AGENT_PROTOCOL, type AgentSettings, agentProviderId } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { Problems, rewriteProblems } from '../core/problems.ts';
import { didYouMean } from '../core/suggest.ts';
import { checkProvider, type ProviderType, providerTypes } from '../dialects/registry.ts';
import { parseAgent } from '../registry/agent-definition.ts';
import { maskAgent } from '../registry/agent-record.ts';
import { refuseShownSecrets } from './agent-shown.ts';
import { checkInlineTls } from './pem.ts';

/** Names on the wire that are not those of provider types. */
const aliases: Readonly<Record<string, string>> = { 'jsonrpc-2.0': 'a2a', jsonrpc: 'jsonrpc-http' };

/** The type of provider that speaks a dialect; undefined where none does, or where it needs more than an address. */
export function typeOf(protocol: string): ProviderType | undefined {
  const type = providerTypes.get(aliases[protocol] ?? protocol);
  return type === undefined || type.files_only || !Object.hasOwn(propertiesOf(type), 'url')
    ? undefined
    : type;
}

/** Every `protocol` that an agent can have. */
export function agentDialects(): string[] {
  const types = [...providerTypes.keys()].filter((type) => typeOf(type) !== undefined);
  return [...new Set(['simple-a2a', ...Object.keys(aliases), ...types])].filter((name) => typeOf(name));
}

function propertiesOf({ schema }: ProviderType): Readonly<Record<string, unknown>> {
  const { properties } = schema as { properties?: Readonly<Record<string, unknown>> };
  return properties ?? {};
}

/** What the provider type is told of an agent. */
export function serviceOfAgent(entry: AgentSettings): { readonly type: string; readonly config: JsonObject } {
  const type = typeOf(entry.protocol);
  if (type === undefined) throw unknownDialect(entry.protocol);
  const { type: kind, ...told } = entry.auth_config;
  const auth = kind === 'none' || kind === 'mtls' ? {} : { auth: entry.auth_config };
  const tls = kind === 'mtls' ? { tls: told } : {};
  const limit = Object.hasOwn(propertiesOf(type), 'timeout') ? { timeout: `${entry.timeout}ms` } : {};
  return { type: type.type, config: { ...entry.protocol_config, url: entry.url, ...auth, ...tls, ...limit } };
}

/** What is wrong with an entry that opening it would find, told by the entry's own members. */
export function checkAgent(settings: AgentSettings, source: 'api' | 'file'): void {
  const type = typeOf(settings.protocol);
  if (type === undefined) throw unknownDialect(settings.protocol);
  refuseShownSecrets(settings);
  if (source === 'api') refuseFiles(settings, type);
  const shown = source === 'api' ? withPlaceholders(settings) : settings;
  try {
    const spec = { id: agentProviderId(settings.name), protocol: AGENT_PROTOCOL, ...serviceOfAgent(shown) };
    checkProvider(spec, { methods: [AGENT_METHOD] });
  } catch (thrown) {
    throw byEntry(thrown);
  }
}

/** An entry of a configuration. */
export function readFileAgent(written: unknown): AgentSettings {
  const settings = parseAgent(written);
  checkAgent(settings, 'file');
  return settings;
}

/** Secrets are checked by what stands for them, so that none can show in what is said of it. */
function withPlaceholders(settings: AgentSettings): AgentSettings {
  const { auth_config, protocol_config } = maskAgent(settings);
  const { headers } = protocol_config;
  const filled = (texts: JsonObject) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, text === '***' ? placeholder : text]),
    ) as JsonObject;
  return {
    ...settings,
    auth_config: { ...filled(auth_config), type: auth_config.type },
    protocol_config: isObject(headers) ? { ...protocol_config, headers: filled(headers) } : protocol_config,
  };
}

const placeholder = '${secrets.agent}';

/** Whoever registers over the API gives certificates themselves: paths would be those of the server. */
function refuseFiles({ auth_config, protocol_config }: AgentSettings, type: ProviderType): void {
  const problems = new Problems();
  const properties = propertiesOf(type);
  for (const key of Object.keys(protocol_config)) {
    if (!JSON.stringify(properties[key] ?? null).includes('"x-path"')) continue;
    const reason = 'names files of the server, and can only stand in its configuration';
    const hint = key === 'tls' ? 'give certificates in auth_config: {type: mtls, cert, key, ca}' : undefined;
    const field = `/protocol_config/${key}`;
    problems.add('GLZ1012', hint === undefined ? { field, reason } : { field, reason, hint });
  }
  problems.throwIfAny();
  if (auth_config.type === 'mtls') checkInlineTls(auth_config);
}

function unknownDialect(protocol: string): GleitzeitError {
  const reason = `there is no protocol ${JSON.stringify(protocol)} that an agent can be called by`;
  return new GleitzeitError('GLZ1012', reason, {
    field: '/protocol',
    reason,
    hint: didYouMean(protocol, agentDialects(), 'one of'),
  });
}

function byEntry(thrown: unknown): unknown {
  const told = rewriteProblems(thrown, (problem) => ({ ...problem, field: memberOf(problem.field) }));
  if (told !== thrown || !(thrown instanceof GleitzeitError)) return told;
  const { field = '' } = thrown.details;
  const member = memberOf(field);
  const message = thrown.message.replace(field, member);
  return new GleitzeitError(thrown.code, message, { ...thrown.details, field: member });
}

function memberOf(field: string): string {
  const [, inner = field] = /^\/config(\/.*)?$/s.exec(field) ?? [];
  if (inner === field) return field;
  if (/^\/(?:url|timeout)\b/.test(inner)) return inner;
  if (inner.startsWith('/auth')) return inner.replace('/auth', '/auth_config');
  return `/protocol_config${inner}`;
}
