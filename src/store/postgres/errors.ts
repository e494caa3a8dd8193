import pg from 'pg';
import type { ErrorCode } from '../../core/error-codes.ts';
import { GleitzeitError } from '../../core/errors.ts';

/** Where a store is, as it may be told to anybody: never with the password. */
export type Place = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly schema: string;
};

export function placeName({ host, port, database, schema }: Place): string {
  return `${host}:${port}/${database} (schema ${schema})`;
}

/** A text that Postgres cannot give back as it was: a NUL, or half of a surrogate pair. */
export class UnstorableText extends Error {
  constructor() {
    super('a text contains a NUL character or half of a surrogate pair, which Postgres cannot hold');
  }
}

/** What became of the transaction when its connection was lost. */
export type Outcome = 'nothing was written' | 'unknown';

/** SQLSTATE of what an optimistic update raises when the rows are not as they were remembered. */
export const HELD_ROWS_CHANGED = 'GZ001';

const connectionClasses = ['08', '57P', '53300'];
const timeouts = ['57014', '55P03', '25P03', '25P04'];
const conflicts = ['40001', '40P01'];
/** Data exceptions, limits such as an index entry that is too long, and checks. */
const recordClasses = ['22', '54', '23'];

export function sqlStateOf(thrown: unknown): string | undefined {
  return thrown instanceof pg.DatabaseError ? thrown.code : undefined;
}

/** Two commits wanted the same rows in another order; the same batch may well pass the next time. */
export function isConflict(thrown: unknown): boolean {
  return startsWithAny(sqlStateOf(thrown), conflicts);
}

/** Somebody else inserted the same key after this commit had looked for it: looking again finds it. */
export function isDuplicate(thrown: unknown): boolean {
  return sqlStateOf(thrown) === '23505';
}

/** The database refuses one record of the batch. */
export function isRecordError(thrown: unknown): boolean {
  if (thrown instanceof UnstorableText || isUnencodable(thrown)) return true;
  return startsWithAny(sqlStateOf(thrown), recordClasses);
}

/** Values that cannot be put into a message, such as a number of more than 64 bits: they never reach the server. */
function isUnencodable(thrown: unknown): boolean {
  return /^ERR_(OUT_OF_RANGE|INVALID_ARG)/.test(codeOf(thrown) ?? '');
}

function codeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function startsWithAny(code: string | undefined, prefixes: readonly string[]): boolean {
  return code !== undefined && prefixes.some((prefix) => code.startsWith(prefix));
}

/** Trouble with the store as the product tells it: what, where, why, and what to do next. */
export function storeError(thrown: unknown, place: Place, outcome?: Outcome): GleitzeitError {
  if (thrown instanceof GleitzeitError) return thrown;
  const state = sqlStateOf(thrown);
  if (state === undefined && !isConnectionError(thrown)) return GleitzeitError.from(thrown);
  const { code, what, hint } = meaningOf(state);
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  const reason = state === undefined ? causeOf(thrown, message) : `${message} (SQLSTATE ${state})`;
  return new GleitzeitError(
    code,
    `${what}: ${placeName(place)}`,
    { reason: outcome === undefined ? reason : `${reason}; ${outcomeText(outcome)}`, hint },
    thrown,
  );
}

/** As the network and the driver tell that the connection failed or ended; anything else is a mistake of ours. */
function isConnectionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || isUnencodable(thrown)) return false;
  if (codeOf(thrown) !== undefined) return true;
  return /connection|timeout|not queryable|closed|SSL|SASL|SCRAM|password/i.test(thrown.message);
}

function outcomeText(outcome: Outcome): string {
  if (outcome === 'unknown')
    return 'the connection was lost before the answer to COMMIT came: whether it was written is unknown';
  return outcome;
}

/** A failed connection to several addresses says nothing in its own message. */
function causeOf(thrown: unknown, message: string): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    return thrown.errors.map((error) => (error instanceof Error ? error.message : String(error))).join(', ');
  }
  return message;
}

type Meaning = { readonly code: ErrorCode; readonly what: string; readonly hint: string };

const unreachable: Meaning = {
  code: 'GLZ3001',
  what: 'the Postgres server cannot be reached',
  hint: 'check that it runs and that the address is right; work goes on by itself once it is back',
};

const meanings: readonly (Meaning & { readonly states: readonly string[] })[] = [
  {
    states: ['28'],
    code: 'GLZ3001',
    what: 'the Postgres server refuses the user or the password',
    hint: 'check user and password of the store url',
  },
  {
    states: ['3D000'],
    code: 'GLZ3001',
    what: 'the Postgres server has no such database',
    hint: 'create the database, or correct its name in the store url',
  },
  {
    states: ['25006'],
    code: 'GLZ3004',
    what: 'the Postgres server only lets us read',
    hint: 'connect to the primary, or set default_transaction_read_only to off',
  },
  {
    states: ['42501'],
    code: 'GLZ3004',
    what: 'the Postgres user may not do this',
    hint: 'grant the user CREATE on the database, or all rights on the schema and its tables',
  },
  {
    states: ['53100'],
    code: 'GLZ3003',
    what: 'the disk of the Postgres server is full',
    hint: 'make room on the server; work goes on by itself afterwards',
  },
  {
    states: ['XX001', 'XX002'],
    code: 'GLZ3005',
    what: 'the Postgres server reports damaged data',
    hint: 'stop writing and restore from a backup',
  },
  {
    states: ['42P01', '42703', '42883', '3F000'],
    code: 'GLZ3006',
    what: 'tables of the store are missing or not ours',
    hint: 'somebody changed the schema while it was in use: restore it, or start again to make it anew',
  },
  {
    states: [...conflicts, HELD_ROWS_CHANGED],
    code: 'GLZ3001',
    what: 'the Postgres store is too contended: the same rows were wanted by others time and again',
    hint: 'try again; if it lasts, look for other programs that change the tables of the store',
  },
  {
    states: timeouts,
    code: 'GLZ3001',
    what: 'the Postgres server did not answer in time',
    hint: 'look for long transactions or locks in pg_stat_activity; the next commit tries again',
  },
  { ...unreachable, states: connectionClasses },
];

function meaningOf(state: string | undefined): Meaning {
  if (state === undefined) return unreachable;
  const found = meanings.find(({ states }) => startsWithAny(state, states));
  return (
    found ?? {
      code: 'GLZ3001',
      what: 'the Postgres server refused',
      hint: 'see the reason; the log of the server may say more',
    }
  );
}
