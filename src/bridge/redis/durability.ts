import type { Connection } from './connection.ts';
import { pairsOf } from './entries.ts';
import type { Settings } from './options.ts';

/** Says so where the server may forget what it has acknowledged. Where it does not tell its settings, nothing is said. */
export async function warnIfForgetful(connection: Connection, { logger, where }: Settings): Promise<void> {
  const setting = async (name: string) =>
    String(pairsOf(await connection.ask('CONFIG', 'GET', name).catch(() => null)).get(name) ?? '');
  const [file, sync] = [await setting('appendonly'), await setting('appendfsync')];
  if (file === 'no')
    logger.warn(`Redis at ${where} keeps calls in memory only: set appendonly yes and appendfsync always`);
  else if (file === 'yes' && sync !== 'always')
    logger.warn(`Redis at ${where} may lose calls of the last second in a crash: set appendfsync always`);
}
