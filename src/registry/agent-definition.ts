import {
  type AgentBreaker,
  type AgentRetry,
  type AgentSettings,
  agentDefaults,
  agentHealth,
} from '../core/agent.ts';
import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';
import { type Fields, given, nameTrouble, note, openFields, readNumber } from '../core/fields.ts';
import { isObject, type JsonObject, kindOf } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';
import { toJson } from '../core/json-safe.ts';
import { Problems } from '../core/problems.ts';
import { maySeal, SEALED } from '../core/secrets.ts';
import { headerTrouble, readAuth } from './agent-auth.ts';
import { agentPoolKeys, readPool } from './agent-pool.ts';

export const agentKeys = [
  'name',
  'url',
  'description',
  'protocol',
  'protocol_config',
  'implements',
  'auth_config',
  'timeout',
  'retry_config',
  'circuit_breaker_config',
  'health_config',
  'via',
  ...agentPoolKeys,
] as const satisfies readonly (keyof AgentSettings)[];

const MAX_AGENT_NAME = 255;
const MAX_URL = 2048;
const MAX_DESCRIPTION = 4096;
const MAX_IMPLEMENTED = 100;
/** Of the JSON that a dialect is told; certificates are the longest that is sensible. */
const MAX_CONFIG = 64 * 1024;
const DAY_MS = 86_400_000;
/** Not every store can hold it. */
const HALF = 'must not hold half a character (a lone surrogate)';

/** An entry as somebody wrote it, with what he left to us. Throws GLZ1012 that names everything wrong with it. */
export function parseAgent(value: unknown): AgentSettings {
  const problems = new Problems();
  const fields = openFields(value, agentKeys, { at: '', code: 'GLZ1012', problems });
  // What is no object at all is told of already.
  const agent = readAgent(fields ?? { object: {}, at: '', code: 'GLZ1012', problems: new Problems() });
  problems.throwIfAny();
  return agent;
}

function readAgent(fields: Fields): AgentSettings {
  return {
    name: readAgentName(fields),
    url: readUrl(fields),
    description: readDescription(fields),
    protocol: readDialect(fields),
    protocol_config: readConfig(fields),
    implements: readImplements(fields),
    auth_config: readAuth(fields),
    timeout: readTimeout(fields),
    retry_config: readRetries(fields),
    circuit_breaker_config: readBreaker(fields),
    ...readHealth(fields),
    ...readVia(fields),
    ...readPool(fields),
  };
}

function readAgentName(fields: Fields): string {
  const name = given(fields, 'name');
  if (name === undefined) note(fields, 'name', 'is missing');
  else {
    const trouble = nameTrouble(name) ?? ownTrouble(String(name));
    if (trouble !== undefined) note(fields, 'name', trouble);
  }
  return String(name);
}

function ownTrouble(name: string): string | undefined {
  if (name.length > MAX_AGENT_NAME) return `must not be longer than ${MAX_AGENT_NAME} characters`;
  // `agent:Name@web-search/v1` is the agent where it serves a protocol.
  return name.includes('@') ? 'must not hold an @' : undefined;
}

function readUrl(fields: Fields): string {
  const url = given(fields, 'url');
  if (url === undefined) note(fields, 'url', 'is missing');
  else {
    const [trouble, hint] = urlTrouble(url);
    if (trouble !== null) note(fields, 'url', trouble, hint);
  }
  return String(url);
}

function urlTrouble(url: unknown): [trouble: string | null, hint?: string] {
  if (typeof url !== 'string') return [`must be text, not ${kindOf(url)}`];
  if (url.length > MAX_URL) return [`must not be longer than ${MAX_URL} characters`];
  if (/\p{Cc}/u.test(url)) return ['must not hold control characters'];
  if (!url.isWellFormed()) return [HALF];
  const address = URL.parse(url);
  if (address === null) return ['is no address', 'such as http://writer:8080'];
  if (!/^(?:https?|wss?):$/.test(address.protocol)) return ['must begin with http:// or https://'];
  if (address.username === '' && address.password === '') return [null];
  return ['names a user or a password, and is shown to everybody', 'say it in auth_config'];
}

function readDescription(fields: Fields): string | null {
  const text = given(fields, 'description') ?? null;
  if (text === null) return null;
  if (typeof text !== 'string') note(fields, 'description', `must be text, not ${kindOf(text)}`);
  else if (text.length > MAX_DESCRIPTION)
    note(fields, 'description', `must not be longer than ${MAX_DESCRIPTION} characters`);
  else if (text.includes('\0')) note(fields, 'description', 'must not hold a NUL');
  else if (!text.isWellFormed()) note(fields, 'description', HALF);
  return String(text);
}

function readDialect(fields: Fields): string {
  const protocol = given(fields, 'protocol') ?? agentDefaults.protocol;
  const trouble = nameTrouble(protocol);
  if (trouble !== undefined) note(fields, 'protocol', trouble);
  return String(protocol);
}

function readConfig(fields: Fields): JsonObject {
  const config = given(fields, 'protocol_config') ?? {};
  if (!isObject(config)) {
    note(fields, 'protocol_config', `must be an object, not ${kindOf(config)}`);
    return {};
  }
  const json = toJson(config, 'GLZ1012', child(fields.at, 'protocol_config')) as JsonObject;
  const text = JSON.stringify(json);
  if (text.length > MAX_CONFIG)
    note(fields, 'protocol_config', `has more than ${MAX_CONFIG} characters of JSON`);
  if (maySeal(text)) note(fields, 'protocol_config', `"${SEALED}" is not allowed as a key`);
  for (const [name, value] of Object.entries(isObject(json['headers']) ? json['headers'] : {})) {
    const trouble = headerTrouble(value);
    if (trouble !== undefined) note(inside(inside(fields, 'protocol_config'), 'headers'), name, trouble);
  }
  for (const [key, where] of [
    ['url', 'url'],
    ['auth', 'auth_config'],
    ['timeout', 'timeout'],
  ] as const)
    if (Object.hasOwn(json, key))
      note(inside(fields, 'protocol_config'), key, `stands in ${where} of the agent`);
  return json;
}

function readImplements(fields: Fields): readonly string[] {
  const list = given(fields, 'implements') ?? [];
  if (!Array.isArray(list) || list.length > MAX_IMPLEMENTED) {
    note(fields, 'implements', `must be a list of at most ${MAX_IMPLEMENTED} protocols`);
    return [];
  }
  for (const [index, name] of list.entries()) {
    const trouble = nameTrouble(name);
    if (trouble !== undefined) note(inside(fields, 'implements'), String(index), trouble);
  }
  return [...new Set(list.map(String))];
}

/** Milliseconds, or text with its unit. */
function readTimeout(fields: Fields): number {
  const value = given(fields, 'timeout') ?? agentDefaults.timeout;
  try {
    const ms = Math.round(parseDuration(value, 'ms') * 1000);
    if (ms >= 1 && ms <= DAY_MS) return ms;
    note(fields, 'timeout', 'must be from 1 ms to a day');
  } catch (thrown) {
    note(fields, 'timeout', GleitzeitError.from(thrown).message, 'milliseconds, or text with a unit: 30s');
  }
  return agentDefaults.timeout;
}

function readRetries(fields: Fields): AgentRetry {
  const fallback = agentDefaults.retry_config;
  const read = within(fields, 'retry_config', fallback);
  return {
    max_retries: read('max_retries', { min: 0, max: 999, integer: true }),
    initial_delay_ms: read('initial_delay_ms', { min: 0, max: DAY_MS }),
    max_delay_ms: read('max_delay_ms', { min: 0, max: DAY_MS }),
    backoff_multiplier: read('backoff_multiplier', { min: 1, max: 1000 }),
  };
}

function readBreaker(fields: Fields): AgentBreaker {
  const { enabled: usual, ...fallback } = agentDefaults.circuit_breaker_config;
  const value = given(fields, 'circuit_breaker_config');
  const enabled = isObject(value) ? value['enabled'] : undefined;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    note(
      inside(fields, 'circuit_breaker_config'),
      'enabled',
      `must be true or false, not ${kindOf(enabled)}`,
    );
  const read = within(fields, 'circuit_breaker_config', fallback, ['enabled']);
  return {
    enabled: typeof enabled === 'boolean' ? enabled : usual,
    failure_threshold: read('failure_threshold', { min: 1, max: 1_000_000, integer: true }),
    failure_rate_threshold: read('failure_rate_threshold', { min: 0.01, max: 1 }),
    timeout_seconds: read('timeout_seconds', { min: 0.001, max: 86_400 }),
    half_open_max_calls: read('half_open_max_calls', { min: 1, max: 1000, integer: true }),
    window_size_seconds: read('window_size_seconds', { min: 0.001, max: 86_400 }),
  };
}

function readHealth(fields: Fields): Pick<AgentSettings, 'health_config'> {
  if ((given(fields, 'health_config') ?? null) === null) return {};
  const read = within(fields, 'health_config', agentHealth);
  const every_seconds = read('every_seconds', { min: 0.1, max: 86_400 });
  return {
    health_config: { every_seconds, timeout_seconds: read('timeout_seconds', { min: 0.01, max: 3600 }) },
  };
}

function readVia(fields: Fields): Pick<AgentSettings, 'via'> {
  const via = given(fields, 'via');
  if (via === undefined || via === null) return {};
  if (via === 'local' || via === 'bridge') return { via };
  note(fields, 'via', 'must be "local" or "bridge"');
  return {};
}

function inside(fields: Fields, key: string): Fields {
  return { ...fields, at: child(fields.at, key) };
}

type Range = { readonly min: number; readonly max: number; readonly integer?: boolean };

/** Reads the numbers of an object that may be left out. */
function within<Key extends string>(
  fields: Fields,
  key: string,
  fallback: Readonly<Record<Key, number>>,
  more: readonly string[] = [],
): (name: Key, range: Range) => number {
  const value = given(fields, key) ?? {};
  const known = [...Object.keys(fallback), ...more];
  const inner = openFields(value, known, inside(fields, key));
  return (name, range) =>
    inner === undefined ? fallback[name] : readNumber(inner, name, range, fallback[name]);
}
