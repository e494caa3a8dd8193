import pg from 'pg';
import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { Batch, Prepared } from './batch.ts';
import type { Place } from './errors.ts';
import type { Query, Row, Statement, Value } from './statement.ts';

export type SessionOptions = {
  readonly url: string;
  readonly schema: string;
  readonly timers: Timers;
  /** What the session is for, shown in pg_stat_activity. */
  readonly role: 'writer' | 'reader' | 'listener' | 'migration';
  /** How long the server may work on one statement, in milliseconds. */
  readonly statementTimeout?: number;
};

const CONNECT_TIMEOUT = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT = 60_000;
/** How much later than the server's own limit a connection is cut that says nothing at all. */
const SILENCE = 15_000;

type Timed = Pick<SessionOptions, 'role' | 'statementTimeout'>;

/** A migration may rewrite a large table, or wait for somebody else's; nothing else takes long. */
function timeoutOf({ role, statementTimeout = 30_000 }: Timed): number {
  return role === 'migration' ? 1_800_000 : statementTimeout;
}

const asText = { getTypeParser: () => (value: string | Buffer) => value };

export function clientConfig({ url, role }: SessionOptions): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `gleitzeit ${role}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: asText as never,
  };
}

/** Where the url leads, with what the environment and the defaults add to it. */
export function placeOf(options: Pick<SessionOptions, 'url' | 'schema'>): Place {
  if (!/^postgres(ql)?:\/\//.test(options.url)) throw badUrl();
  try {
    const { host, port, database } = new pg.Client({ connectionString: options.url });
    return { host, port, database: database ?? '', schema: options.schema };
  } catch {
    throw badUrl();
  }
}

/** Says nothing of what was given: it may contain a password. */
function badUrl(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'the url of the Postgres store cannot be read', {
    field: 'store.url',
    hint: 'write it as postgres://user:password@host:5432/database, with special characters in percent form',
  });
}

/** One connection, asked for one batch at a time. After a failure of the connection it is broken for good. */
export class Session {
  readonly #client: pg.Client;
  readonly #timers: Timers;
  readonly #patience: number;
  readonly #prepared = new Prepared();
  #broken = false;

  private constructor(client: pg.Client, options: SessionOptions) {
    this.#client = client;
    this.#timers = options.timers;
    this.#patience = timeoutOf(options) + SILENCE;
    client.on('error', () => this.destroy());
    client.connection.on('parseComplete', () => this.#prepared.parsed());
    client.on('end', () => {
      this.#broken = true;
    });
  }

  static async open(options: SessionOptions): Promise<Session> {
    const client = new pg.Client(clientConfig(options));
    const session = new Session(client, options);
    try {
      await client.connect();
      await client.query(settings(options));
      return session;
    } catch (thrown) {
      session.destroy();
      throw thrown;
    }
  }

  get broken(): boolean {
    return this.#broken;
  }

  async rows(statement: Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    let rows: readonly Row[] = [];
    const take = (answer: readonly Row[]) => {
      rows = answer;
    };
    await this.all([{ statement, values, take }]);
    return rows;
  }

  /** All of them on their way, each as soon as it is made, before the first is answered. Fails with the first failure. */
  async all(queries: Iterable<Query>): Promise<void> {
    await this.#watched(() => this.#client.query(new Batch(queries, this.#prepared)).done);
  }

  /** Several statements in one text, without parameters. */
  async script(text: string): Promise<void> {
    await this.#watched(() => this.#client.query(text));
  }

  onNotification(listener: (from: number, payload: string) => void): void {
    this.#client.on('notification', ({ processId, payload }) => listener(processId, payload ?? ''));
  }

  onEnd(listener: () => void): void {
    this.#client.on('end', listener);
  }

  destroy(): void {
    this.#broken = true;
    this.#client.connection.stream.destroy();
  }

  async end(): Promise<void> {
    if (!this.#broken) await this.#client.end().catch(() => undefined);
    this.#broken = true;
  }

  /** A connection that says nothing for too long is cut, so that nobody waits for it for ever. */
  async #watched<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const stop = this.#timers.after(this.#patience, () => this.destroy());
    try {
      return await ask();
    } finally {
      stop();
    }
  }
}

/**
 * What every session of the store counts on. Durability is never less than the server's own default, and never off.
 *
 * The writer's statements find rows by key, a few hundred at most, whatever the size of the tables. Left to itself,
 * Postgres reads a whole table of moderate size to update 500 rows of it, or keeps a plan from when the table was
 * empty; so its session has no other plans to choose from than those by index, and makes each only once.
 */
export function settings({ schema, ...timed }: Timed & Pick<SessionOptions, 'schema'>): string {
  const timeout = timeoutOf(timed);
  return `SET client_encoding TO 'UTF8';
    SET search_path TO ${pg.escapeIdentifier(schema)};
    SET standard_conforming_strings TO on;
    SET default_transaction_isolation TO 'read committed';
    SET statement_timeout TO ${timeout};
    SET lock_timeout TO ${Math.ceil(timeout / 2)};
    SET idle_in_transaction_session_timeout TO ${IDLE_IN_TRANSACTION_TIMEOUT};
    SET jit TO off;
    ${timed.role === 'writer' ? byIndexOnly : ''}
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';`;
}

const byIndexOnly = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((plan) => `SET enable_${plan} TO off;`)
  .concat('SET plan_cache_mode TO force_generic_plan;')
  .join(' ');
