import { booleans, floats, integers, texts } from './arrays.ts';
import type { Query, Statement, Value } from './statement.ts';

/** A column of records on its way into a table: its name there, and the value of each record. */
export type Column<Record> = {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'double precision' | 'boolean';
  readonly encode: (records: readonly Record[]) => Buffer;
};

/** A record with its place in the order of acceptance. */
export type Numbered<Row> = { readonly row: Row; readonly n: number };

export function textColumn<Record>(name: string, pick: (record: Record) => string | null): Column<Record> {
  return { name, type: 'text', encode: (records) => texts(records.map(pick)) };
}

export function integerColumn<Record>(name: string, pick: (record: Record) => number | null): Column<Record> {
  return { name, type: 'bigint', encode: (records) => integers(records.map(pick)) };
}

export function floatColumn<Record>(name: string, pick: (record: Record) => number | null): Column<Record> {
  return { name, type: 'double precision', encode: (records) => floats(records.map(pick)) };
}

export function booleanColumn<Record>(name: string, pick: (record: Record) => boolean): Column<Record> {
  return { name, type: 'boolean', encode: (records) => booleans(records.map(pick)) };
}

/** The same columns for records that contain those they were made for. */
export function within<Outer, Inner>(
  columns: readonly Column<Inner>[],
  pick: (record: Outer) => Inner,
): Column<Outer>[] {
  return columns.map((column) => ({ ...column, encode: (records) => column.encode(records.map(pick)) }));
}

/**
 * The records as a table `u`, with parameters counted from 1. Several `unnest` in one SELECT go in step, and unlike one
 * `unnest` of several arrays they are not put into a store first: half the time.
 */
export function unnested<Record>(columns: readonly Column<Record>[]): string {
  return `(SELECT ${columns.map(({ name, type }, index) => `unnest($${index + 1}::${type}[]) AS ${name}`).join(', ')}) AS u`;
}

/** One statement that inserts any number of records, in their order. */
export function inserting<Record>(
  table: string,
  columns: readonly Column<Record>[],
  onConflict = '',
): Statement {
  const names = columns.map(({ name }) => name).join(', ');
  const text = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${unnested(columns)} ${onConflict}`;
  return { name: `insert_${table}`, text };
}

export type Rewriting<Record> = {
  readonly name: string;
  readonly table: string;
  /** The first is what records are found by; the others are written. */
  readonly columns: readonly Column<Record>[];
  /** What is written to all of them alike. */
  readonly constants?: string;
  /** What a row must still have; one that has not is left alone. */
  readonly unchanged?: Column<Record>;
};

/** One statement that rewrites any number of records, and the columns it takes. */
export function rewriting<Record>(rewriting: Rewriting<Record>): Rewrite<Record> {
  const { name, table, columns, constants, unchanged } = rewriting;
  const [key, ...written] = columns.map((column) => column.name);
  const sets = [
    ...(constants === undefined ? [] : [constants]),
    ...written.map((name) => `${name} = u.${name}`),
  ];
  const before = unchanged === undefined ? [] : [{ ...unchanged, name: `${unchanged.name}_before` }];
  const condition = unchanged === undefined ? '' : ` AND t.${unchanged.name} = u.${unchanged.name}_before`;
  const all = [...columns, ...before];
  const text = `UPDATE ${table} t SET ${sets.join(', ')} FROM ${unnested(all)} WHERE t.${key} = u.${key}${condition}`;
  return { statement: { name, text }, columns: all };
}

export type Rewrite<Record> = { readonly statement: Statement; readonly columns: readonly Column<Record>[] };

/** Ends the transaction where not every record was found. The last parameter says how many there are. */
export function requiringAll<Record>({ statement, columns }: Rewrite<Record>): Rewrite<Record> {
  const text = `WITH found AS (${statement.text} RETURNING 1)
    SELECT require_all((SELECT count(*) FROM found), $${columns.length + 1}::bigint)`;
  return { columns, statement: { ...statement, text } };
}

/** The statement over these records, or nothing where there are none. `more` are parameters after the columns. */
export function over<Record>(
  statement: Statement,
  columns: readonly Column<Record>[],
  records: readonly Record[],
  more: readonly Value[] = [],
): Query[] {
  if (records.length === 0) return [];
  return [{ statement, values: [...columns.map(({ encode }) => encode(records)), ...more] }];
}
