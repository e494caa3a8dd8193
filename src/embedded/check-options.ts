import { isObject } from '../core/json.ts';
import {
  describe,
  invalidOption,
  readOptions,
  requireNumber,
  requireText,
  requireWord,
} from '../engine/check-options.ts';
import { providerPoolWords } from './pool-options.ts';

type Given = Readonly<Record<string, unknown>>;

const known = [
  'store',
  'protocols',
  'providers',
  'concurrency',
  'retention_days',
  'lease_ttl_ms',
  'secret_keys',
  'logger',
];
const numbers = {
  concurrency: { least: 1, most: 100_000, integer: true },
  retention_days: { least: 0, most: 36_500 },
  lease_ttl_ms: { least: 100, most: 3_600_000, integer: true },
} as const;
const storeKeys = { sqlite: ['type', 'path'], postgres: ['type', 'url', 'schema'] };
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** The whole of the options is checked before anything is opened, and an error names the field. */
export function checkOptions(options: unknown): void {
  const given = readOptions(options, known);
  for (const [field, range] of Object.entries(numbers)) {
    if (given[field] !== undefined) requireNumber(field, given[field], range);
  }
  requireList('protocols', given['protocols']);
  checkProviders(requireList('providers', given['providers']));
  if (given['store'] !== undefined) checkStore(given['store']);
  if (given['secret_keys'] !== undefined) checkKeys(requireList('secret_keys', given['secret_keys']));
  if (given['logger'] !== undefined) checkLogger(given['logger']);
}

function checkProviders(providers: readonly unknown[]): void {
  const ids = new Set<string>();
  providers.forEach((provider, index) => {
    const at = `providers[${index}]`;
    const keys = ['id', 'protocol', 'methods', ...providerPoolWords];
    const { id, protocol, methods } = readOptions(provider, keys, { field: at, prefix: `${at}.` });
    const name = requireText(`${at}.id`, id);
    if (ids.has(name)) throw invalidOption(`${at}.id`, `"${name}" stands twice; every provider has its own`);
    ids.add(name);
    requireText(`${at}.protocol`, protocol);
    checkMethods(`${at}.methods`, methods);
  });
}

function checkMethods(field: string, methods: unknown): void {
  if (!isObject(methods)) throw invalidOption(field, `must be an object, found ${describe(methods)}`);
  for (const [name, method] of Object.entries<unknown>(methods)) {
    if (typeof method !== 'function') {
      throw invalidOption(`${field}.${name}`, `must be a function, found ${describe(method)}`);
    }
  }
}

function checkStore(store: unknown): void {
  if (!isObject(store)) throw invalidOption('store', `must be an object, found ${describe(store)}`);
  const type = store['type'];
  requireWord('store.type', type, Object.keys(storeKeys));
  const keys = storeKeys[type as keyof typeof storeKeys];
  const given = readOptions(store, keys, { field: 'store', prefix: 'store.' });
  if (type === 'sqlite') checkPath(given);
  else checkServer(given);
}

/** SQLite has other meanings for some names, and none of them keeps anything. */
function checkPath({ path }: Given): void {
  if (path === undefined) return;
  const text = requireText('store.path', path);
  if (text !== ':memory:' && !text.startsWith('file:') && !text.includes('\0')) return;
  throw invalidOption('store.path', `must be the path of a file, found ${describe(text)}`);
}

function checkServer({ url, schema }: Given): void {
  requireText('store.url', url);
  if (schema === undefined || (typeof schema === 'string' && schemaName.test(schema))) return;
  const reason = `must be small letters, digits and _, at most 63, not a digit first; found ${describe(schema)}`;
  throw invalidOption('store.schema', reason);
}

/** Never says what it found: it may be a key in the wrong place. */
function checkKeys(keys: readonly unknown[]): void {
  if (keys.length === 0) throw invalidOption('secret_keys', 'must hold at least one key');
  keys.forEach((key, index) => {
    if (typeof key !== 'string') throw invalidOption(`secret_keys[${index}]`, 'must be a text in base64');
  });
}

function checkLogger(logger: unknown): void {
  for (const level of ['debug', 'info', 'warn', 'error']) {
    if (isObject(logger) && typeof (logger[level] as unknown) === 'function') continue;
    throw invalidOption(`logger.${level}`, 'must be a function');
  }
}

function requireList(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidOption(field, `must be a list, found ${describe(value)}`);
}
