import { GleitzeitError } from '../../core/errors.ts';
import type { Page } from '../../core/ports/store.ts';

export type PageQuery = {
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
  readonly cursor?: string;
};

/** A page of records in the order of acceptance. The cursor is the place of the last one shown, so inserts move nothing. */
export function pageOf<Row>(
  rows: readonly Row[],
  query: PageQuery,
  orderOf: (row: Row) => number,
): Page<Row> {
  const direction = query.order === 'oldest' ? 1 : -1;
  const shown = query.cursor === undefined ? null : placeOf(query.cursor);
  const rest = rows
    .filter((row) => shown === null || (orderOf(row) - shown) * direction > 0)
    .sort((a, b) => (orderOf(a) - orderOf(b)) * direction);
  const items = rest.slice(0, query.limit);
  const last = items.at(-1);
  return {
    items,
    next_cursor: rest.length > items.length && last !== undefined ? `o${orderOf(last)}` : null,
  };
}

function placeOf(cursor: string): number {
  if (!/^o\d{1,15}$/.test(cursor)) throw badCursor(cursor);
  return Number(cursor.slice(1));
}

export function badCursor(cursor: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `"${cursor}" is no cursor of this list`, {
    field: 'cursor',
    hint: 'use next_cursor of the page before, or leave it out to start over',
  });
}
