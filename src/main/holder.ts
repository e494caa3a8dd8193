import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Config, findConfig, loadConfig } from '../config.ts';
import { isObject, own } from '../core/json.ts';
import { parseYaml } from '../files/yaml.ts';
import { placeOf } from './store.ts';

/** The address of the server or command that holds the configured store; null where nobody does, or many may. */
export async function addressOfHolder({ store }: Pick<Config, 'store'>): Promise<string | null> {
  const where = placeOf(store);
  if (where.type !== 'sqlite') return null;
  const { holderOf } = await import('../store/sqlite/lock.ts');
  return holderOf(where.path)?.address ?? null;
}

export type HolderRequest = {
  readonly file: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

/**
 * The same, by what a configuration says of its store alone: whoever only asks the server that holds it needs none of
 * its providers and secrets. Null also where that cannot be read; the whole configuration says why.
 */
export async function findHolder({ file, env, cwd }: HolderRequest): Promise<string | null> {
  const found = file ?? findConfig(cwd);
  try {
    const text = found === null ? '' : await storeSection(resolve(cwd, found));
    const config = await loadConfig({ text, env, cwd, ...(found === null ? {} : { file: found }) });
    return await addressOfHolder(config);
  } catch {
    return null;
  }
}

async function storeSection(file: string): Promise<string> {
  const { value } = parseYaml(await readFile(file), { file, code: 'GLZ1012', refused_keys: [] });
  const store = isObject(value) ? own(value, 'store') : undefined;
  return JSON.stringify(store === undefined ? {} : { store });
}
