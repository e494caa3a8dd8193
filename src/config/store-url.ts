import { isObject, type Json, own } from '../core/json.ts';
import { type Environment, variableOf } from './environment.ts';
import type { Override } from './override.ts';

export type StoreFromUrl = { readonly override: Override | null; readonly warnings: readonly string[] };

/**
 * Where the environment says the store is. GLEITZEIT_STORE_URL wins over everything. DATABASE_URL may belong to another
 * program: it counts only for commands that ask for it, and only where nothing names a store.
 */
export function storeFromUrl(env: Environment, file: Json, useDatabaseUrl: boolean): StoreFromUrl {
  const named = isObject(file) ? own(file, 'store') : undefined;
  const url = variableOf(env, 'GLEITZEIT_STORE_URL') ?? '';
  if (url !== '') return { override: overrideFor('GLEITZEIT_STORE_URL', url, named), warnings: [] };
  const database = useDatabaseUrl ? (variableOf(env, 'DATABASE_URL') ?? '') : '';
  if (database === '') return { override: null, warnings: [] };
  if (!isPostgres(database)) return ignored('is no address of a Postgres server');
  if (isObject(named) || variableOf(env, 'GLEITZEIT_STORE_TYPE') || variableOf(env, 'GLEITZEIT_STORE_PATH')) {
    return ignored('is not used, since a store is configured');
  }
  return { override: overrideFor('DATABASE_URL', database, undefined), warnings: [] };
}

function ignored(why: string): StoreFromUrl {
  return { override: null, warnings: [`the environment variable DATABASE_URL ${why}`] };
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** `sqlite:path`, or the address of a Postgres server; the schema in its database stays as configured. */
function overrideFor(name: string, url: string, named: unknown): Override {
  const file = /^sqlite:(?:\/\/)?(.+)$/s.exec(url)?.[1];
  if (file !== undefined)
    return { name, path: ['store'], value: { type: 'sqlite', path: file }, parsed: null };
  const schema = isObject(named) ? own(named, 'schema') : undefined;
  const value = { type: 'postgres', url, ...(typeof schema === 'string' ? { schema } : {}) };
  return { name, path: ['store'], value, parsed: null };
}
