import { GleitzeitError } from '../core/errors.ts';
import type { RunQuery, TaskQuery } from '../core/ports/store.ts';

type Paged = { readonly limit?: number; readonly cursor?: string };
type Spanned = Paged & {
  readonly created_from?: string;
  readonly created_to?: string;
  readonly order?: 'oldest' | 'newest';
};

/** A page as the store reads it. Limits and orders have their defaults from the schema by now. */
export function pageOf({ limit = 100, cursor }: Paged): { limit: number; cursor?: string } {
  return { limit, ...(cursor === undefined ? {} : { cursor }) };
}

export function spanOf({
  created_from,
  created_to,
  order = 'newest',
  ...paged
}: Spanned): Pick<TaskQuery & RunQuery, 'created_from' | 'created_to' | 'order' | 'limit' | 'cursor'> {
  return {
    ...pageOf(paged),
    order,
    ...(created_from === undefined ? {} : { created_from: timeOf('created_from', created_from) }),
    ...(created_to === undefined ? {} : { created_to: timeOf('created_to', created_to) }),
  };
}

/** The schema lets through what its standard allows, leap seconds among them, and a date cannot hold all of it. */
function timeOf(field: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const reason = `${JSON.stringify(text.slice(0, 80))} is no time`;
  throw new GleitzeitError('GLZ1012', `${field}: ${reason}`, {
    field,
    reason,
    hint: 'write it like 2026-01-05T09:30:00Z',
  });
}

/** One word or several. */
export function listOf<Word extends string>(
  given: Word | readonly Word[] | undefined,
): readonly Word[] | undefined {
  return typeof given === 'string' ? [given] : given;
}

/** The object without what is undefined: an optional key is either there or not. */
export function present<Given extends object>(
  given: Given,
): { [Key in keyof Given]?: Exclude<Given[Key], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Given]?: Exclude<Given[Key], undefined> };
}
