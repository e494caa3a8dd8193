import pg from 'pg';
import type { Logger } from '../../core/ports/logger.ts';
import { type Place, sqlStateOf, storeError } from './errors.ts';
import { clientConfig, type SessionOptions, settings } from './session.ts';
import type { Row, Statement, Value } from './statement.ts';

export type ReaderOptions = SessionOptions & {
  readonly place: Place;
  readonly poolSize: number;
  readonly logger: Logger;
};

const IDLE_TIMEOUT = 30_000;
const QUERY_TIMEOUT = 45_000;

/** A few connections for reads, so that they never wait for the writer nor all for one another. */
export class Reader {
  readonly #pool: pg.Pool;
  readonly #place: Place;

  constructor(options: ReaderOptions) {
    this.#place = options.place;
    this.#pool = new pg.Pool({
      ...clientConfig(options),
      max: options.poolSize,
      idleTimeoutMillis: IDLE_TIMEOUT,
      query_timeout: QUERY_TIMEOUT,
      onConnect: async (client) => {
        await client.query(settings(options));
      },
    });
    // An idle connection that was cut is dropped from the pool; the next read opens another one.
    this.#pool.on('error', (error) => options.logger.debug('a connection for reads was lost', { error }));
  }

  /** Asks once more on another connection where the first was lost: a read can be repeated. */
  async rows(statement: Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    try {
      return await this.#ask(statement, values).catch((thrown: unknown) => {
        if (!isLostConnection(thrown)) throw thrown;
        return this.#ask(statement, values);
      });
    } catch (thrown) {
      throw storeError(thrown, this.#place);
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #ask(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const query = { ...statement, values: [...values], rowMode: 'array' as const };
    return (await this.#pool.query<(string | null)[]>(query)).rows;
  }
}

function isLostConnection(thrown: unknown): boolean {
  const state = sqlStateOf(thrown);
  return state === undefined || state.startsWith('57P') || state.startsWith('08');
}
