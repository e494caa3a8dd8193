import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import type { StoreOptions } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { lineLogger } from '../../src/telemetry/logger.ts';
import { foldDifferences } from './fold-check.ts';
import type { Accepted, Verdict } from './verdict.ts';
import { judgePostgres } from './verdict-postgres.ts';
import { judgeSqlite } from './verdict-sqlite.ts';

export type Judgement = Verdict & { readonly fold_differences: number };

/** What the store says, once nobody writes to it any more. */
export async function judge(store: StoreOptions, accepted: Accepted): Promise<Judgement> {
  const logger = lineLogger(
    'error',
    (line) => process.stderr.write(line),
    () => new Date(),
  );
  const opened =
    store.type === 'postgres'
      ? await openPostgresStore({ url: store.url, timers: systemTimers, logger })
      : await openSqliteStore({ path: store.path ?? '', clock: systemClock, logger });
  const fold_differences = await foldDifferences(opened.reads);
  await opened.close();
  const verdict =
    store.type === 'postgres'
      ? await judgePostgres(store.url, accepted)
      : judgeSqlite(store.path ?? '', accepted);
  return { ...verdict, fold_differences };
}
