import { GleitzeitError } from '../core/errors.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { TaskBody, TaskRow } from '../core/records.ts';

/** A task of a run with all that is known of it. */
export type Member = { readonly task: TaskRow; readonly body: TaskBody };

const PAGE = 1000;
/** Reads under way at a time. */
const AT_ONCE = 32;

/** In the order of the definition. */
export async function membersOf(reads: StoreReads, workflow_id: string): Promise<Member[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = { limit: PAGE, ...(cursor === '' ? {} : { cursor }) };
    const { items, next_cursor } = await reads.tasks({ workflow_id, order: 'oldest', ...page });
    ids.push(...items.map(({ task_id }) => task_id));
    cursor = next_cursor;
  }
  const members = await inTurns(ids, (task_id) => reads.task(task_id));
  return members.map((member) => member ?? removed(workflow_id));
}

export async function inTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    made.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(make))));
  return made;
}

export function removed(id: string): never {
  throw new GleitzeitError('GLZ1010', `${id} was removed meanwhile`, {
    field: 'workflow_id',
    hint: 'finished runs are removed after their retention time',
  });
}
