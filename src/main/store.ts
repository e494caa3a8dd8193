import { dirname, join } from 'node:path';
import { GleitzeitError } from '../core/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import type { StoreOptions } from '../embedded/options.ts';
import { systemTimers } from '../embedded/system.ts';
import { parseKey } from '../store/cipher.ts';
import { readKeyFile } from '../store/key-file.ts';
import { truePath } from '../store/sqlite/true-path.ts';

const DEFAULT_PATH = '.gleitzeit/store.db';
/** A commit to a server is several statements and a way there and back: fewer and larger ones are worth more. */
const forServer = { few_writes: 256, commits_at_once: 1 };

/** What an engine does differently on one store than on another. */
export function optionsFor(where: Place): Partial<typeof forServer> {
  return where.type === 'postgres' ? forServer : {};
}

/** Where the store is, whatever becomes of the working folder or of links on the way: its key lies beside it. */
export type Place =
  | Extract<StoreOptions, { type: 'postgres' }>
  | { readonly type: 'sqlite'; readonly path: string };

export function placeOf(where: StoreOptions): Place {
  return where.type === 'postgres' ? where : { type: 'sqlite', path: truePath(where.path ?? DEFAULT_PATH) };
}

/** One that is held by one process says to others where that can be reached; one that is shared needs nobody to be asked. */
export type OpenedStore = Store & { setAddress?(address: string | null): Promise<void> };

/** A store's driver is loaded only where it is used. */
export async function openStore(
  where: Place,
  clock: Clock,
  logger: Logger,
  { same_thread = false } = {},
): Promise<OpenedStore> {
  if (where.type === 'postgres') {
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    const { url, schema } = where;
    return openPostgresStore({
      url,
      timers: systemTimers,
      logger,
      ...(schema === undefined ? {} : { schema }),
    });
  }
  const { openSqliteStore } = await import('../store/sqlite/store.ts');
  return openSqliteStore({ path: where.path, clock, logger, same_thread });
}

/** The keys for fields marked `x-secret`: from the environment, or from a file beside an embedded store. */
export function readKeys(where: Place): Buffer[] {
  const environment = process.env['GLEITZEIT_SECRET_KEY'];
  if (environment !== undefined)
    return environment.split(',').map((key) => parseKey(key, 'GLEITZEIT_SECRET_KEY'));
  if (where.type === 'sqlite') return readKeyFile(join(dirname(where.path), 'secret.key'));
  throw new GleitzeitError('GLZ3010', 'there is no key for the fields marked x-secret', {
    reason: 'engines on one Postgres must share it, so none is made up here',
    hint: 'set GLEITZEIT_SECRET_KEY, the same for every engine: openssl rand -base64 32',
  });
}
