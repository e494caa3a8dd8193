import { newKey } from '../../main/keys.ts';
import type { Invocation } from '../spec.ts';

/** Prints a new key. It is kept nowhere: the configuration gets its hash. */
export async function createToken({ flags, io }: Invocation): Promise<void> {
  const { key, entry } = newKey(flags.text('name') ?? 'default', flags.text('role') ?? '');
  await io.emit({ key, entry }, { table: () => `${key}\n`, names: [key] });
  if (io.format !== 'table') return;
  io.say(`
This is the only time the key is shown. Callers send it as "Authorization: Bearer <key>".
For the configuration:

server:
  keys:
    - { name: ${entry.name}, role: ${entry.role}, hash: ${entry.hash} }`);
}
