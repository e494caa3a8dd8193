import { booleans, floats, integers, texts } from './arrays.ts';
import type { Query, Statement } from './session.ts';

/** A column of records on its way into a table: its name there, and the value of each record. */
export type Column<Record> = {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'double precision' | 'boolean';
  readonly encode: (records: readonly Record[]) => Buffer;
};

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

/** `unnest($1::text[], …) AS u (a, …)`, with parameters counted from `first`. */
export function unnested<Record>(columns: readonly Column<Record>[], first = 1): string {
  const arrays = columns.map(({ type }, index) => `$${first + index}::${type}[]`).join(', ');
  return `unnest(${arrays}) AS u (${columns.map(({ name }) => name).join(', ')})`;
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

/** One statement that rewrites any number of records, found by the first column. */
export function updating<Record>(table: string, columns: readonly Column<Record>[]): Statement {
  const [key, ...rest] = columns.map(({ name }) => name);
  const sets = rest.map((name) => `${name} = u.${name}`).join(', ');
  const text = `UPDATE ${table} t SET ${sets} FROM ${unnested(columns)} WHERE t.${key} = u.${key}`;
  return { name: `update_${table}`, text };
}

/** The statement over these records, or nothing where there are none. */
export function over<Record>(
  statement: Statement,
  columns: readonly Column<Record>[],
  records: readonly Record[],
): Query[] {
  if (records.length === 0) return [];
  return [{ statement, values: columns.map(({ encode }) => encode(records)) }];
}
