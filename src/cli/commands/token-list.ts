import type { Config } from '../../config.ts';
import { type Column, table } from '../output/table.ts';
import { loadSettings } from '../settings.ts';
import type { Invocation } from '../spec.ts';

type KeyItem = {
  readonly name: string;
  readonly role: string;
  readonly hash: string;
  readonly source: string;
};

/** The keys that the configuration knows. What it has of each is a hash: the keys themselves are nowhere. */
export async function tokenList(call: Invocation): Promise<void> {
  const { io } = call;
  const items = keysOf(await loadSettings(call));
  const names = items.map(({ name }) => name);
  if (items.length > 0 || io.format !== 'table')
    await io.emit({ items }, { table: (view) => table(items, columns, view), names });
  if (items.length === 0) io.say('no keys: whoever reaches the server on loopback is its admin');
}

export function keysOf(config: Config): KeyItem[] {
  return config.server.keys.map(({ name, role, hash }, index) => ({
    name,
    role,
    hash,
    source: config.sources[`server.keys[${index}].name`] ?? 'default',
  }));
}

const columns: readonly Column<KeyItem>[] = [
  { title: 'name', value: ({ name }) => name, whole: true },
  { title: 'role', value: ({ role }) => role, whole: true },
  { title: 'source', value: ({ source }) => source },
  { title: 'hash', value: ({ hash }) => hash },
];
