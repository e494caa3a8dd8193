import type { Flags } from './flags.ts';
import type { View } from './output/table.ts';
import type { Invocation } from './spec.ts';

export type Paging = { readonly limit?: number; readonly cursor?: string };
type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

export type Listing<Item> = {
  /** `runs`, for what is said when there are none. */
  readonly what: string;
  readonly page: (paging: Paging) => Promise<Page<Item>>;
  readonly paging: { readonly limit: number; readonly cursor: string | undefined };
  readonly table: (items: readonly Item[], view: View) => string;
  readonly name: (item: Item) => string;
};

const DEFAULT_LIMIT = 50;
const LARGEST_PAGE = 1000;

export function pagingOf(flags: Flags): Listing<unknown>['paging'] {
  const limit = flags.is('all') ? Number.POSITIVE_INFINITY : (flags.count('limit') ?? DEFAULT_LIMIT);
  return { limit, cursor: flags.text('cursor') };
}

/** A list of up to `limit` items, fetched page by page; says how to go on where there are more. */
export async function emitPages<Item>({ io }: Invocation, listing: Listing<Item>): Promise<void> {
  const { what, page, paging, table, name } = listing;
  const shown = (some: readonly Item[]) => ({
    table: (view: View) => table(some, view),
    names: some.map(name),
  });
  // What has a line of its own is printed as it comes, however many there are.
  const streams = io.format === 'jsonl' || io.format === 'name';
  const items: Item[] = [];
  let cursor: string | null = paging.cursor ?? null;
  let left = paging.limit;
  do {
    const limit = Math.min(left, LARGEST_PAGE);
    const got: Page<Item> = await page({ limit, ...(cursor === null ? {} : { cursor }) });
    left -= got.items.length;
    cursor = got.next_cursor;
    if (streams) await io.emit(got, shown(got.items));
    else items.push(...got.items);
  } while (cursor !== null && left > 0);
  if (!streams && (items.length > 0 || io.format !== 'table'))
    await io.emit({ items, next_cursor: cursor }, shown(items));
  if (!streams && items.length === 0) io.say(`no ${what}`);
  if (cursor !== null) io.say(`there are more: --cursor ${cursor}, or --all`);
}
