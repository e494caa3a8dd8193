import { GleitzeitError } from '../../core/errors.ts';
import type { Page } from '../../core/ports/store.ts';

/** A list's page from one row more than asked for. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { item, cursor }: { item: (row: Row) => Item; cursor: (row: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(item),
    next_cursor: rows.length > limit && last !== undefined ? cursor(last) : null,
  };
}

/** The cursor of a list in the order of acceptance: the number of the last record shown. */
export function numberFrom(cursor: string): number {
  if (!/^o\d{1,15}$/.test(cursor)) throw badCursor(cursor);
  return Number(cursor.slice(1));
}

/** The cursor of a list by key: the last key shown, marked so that a foreign one is told apart. */
export function keyFrom(cursor: string): string {
  if (!cursor.startsWith('k')) throw badCursor(cursor);
  return cursor.slice(1);
}

function badCursor(cursor: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `"${cursor}" is no cursor of this list`, {
    field: 'cursor',
    hint: 'use next_cursor of the page before, or leave it out to start over',
  });
}
