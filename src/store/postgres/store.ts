import { hintOf } from '../../core/change-hint.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import { type Place, placeName, storeError } from './errors.ts';
import { Hints } from './hints.ts';
import { migrateDown as migrateDownIn, migrateUp } from './migrate.ts';
import { Reader } from './reader.ts';
import { readsOf } from './reads.ts';
import { placeOf } from './session.ts';
import type { Statement } from './statement.ts';
import { Writer } from './writer.ts';

export type PostgresOptions = {
  readonly url: string;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Where the tables live, so that several stores fit into one database. */
  readonly schema?: string;
  /** Connections for reads; one for writes and one for hints come on top. */
  readonly poolSize?: number;
  /** How long the server may work on one statement, in milliseconds; half of it for a lock. */
  readonly statementTimeout?: number;
};

const DEFAULT_SCHEMA = 'gleitzeit';
const DEFAULT_POOL = 4;

/**
 * A store on Postgres, shared by any number of engines. Brings its tables up to date first. The clock of all leases,
 * ranks and due times is the server's (`now_ms()` in the schema).
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { schema = DEFAULT_SCHEMA, poolSize = DEFAULT_POOL, ...given } = options;
  const { url, timers, logger } = given;
  const place = placeOf({ url, schema });
  const common = { ...given, schema };
  const reader = new Reader({ ...common, role: 'reader', place, poolSize });
  const hints = new Hints({ ...common, role: 'listener' });
  const writer = new Writer(
    { ...common, role: 'writer' },
    {
      place,
      told: ({ changes, answer }) => hints.tell(hintOf(changes, answer.claimed)),
      alone: () => hints.alone,
    },
  );
  const close = async () => {
    await writer.close();
    await hints.close();
    await reader.end();
  };
  try {
    await requireWritable(reader, place, logger);
    await migrateUp({ url, schema, timers, logger });
    await hints.open();
  } catch (thrown) {
    await close();
    throw storeError(thrown, place);
  }
  let closing: Promise<void> | null = null;
  return {
    commit: (request) => writer.commit(request),
    reads: readsOf(reader),
    onChange: (listener) => hints.listen(listener),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Takes the tables back to an earlier version; 0 removes them. */
export async function migrateDown(
  options: Pick<PostgresOptions, 'url' | 'timers' | 'schema'>,
  target: number,
): Promise<void> {
  const { url, timers, schema = DEFAULT_SCHEMA } = options;
  await migrateDownIn({ url, timers, schema }, target);
}

const serverState: Statement = {
  name: 'server_state',
  text: `SELECT current_setting('transaction_read_only'), pg_is_in_recovery(), current_setting('fsync')`,
};

async function requireWritable(reader: Reader, place: Place, logger: Logger): Promise<void> {
  const [[readOnly, standby, fsync] = []] = await reader.rows(serverState);
  if (readOnly === 'on') {
    throw new GleitzeitError('GLZ3004', `the Postgres server only lets us read: ${placeName(place)}`, {
      reason: standby === 't' ? 'it is a standby of another server' : 'default_transaction_read_only is on',
      hint: 'connect to the primary, or set default_transaction_read_only to off',
    });
  }
  if (fsync === 'off') {
    logger.warn('the Postgres server runs with fsync off: a power cut may lose what was acknowledged', {
      store: placeName(place),
    });
  }
}
