import type { Client } from '../../sdk/index.ts';

/** So many are enough to know what is usual. */
const RUNS = 20;

/** How long a run of this name usually takes: the median of the newest that completed; null where none did. */
export async function usualDuration(client: Client, name: string): Promise<number | null> {
  const { items } = await client.call('workflow.list', { name, status: 'completed', limit: RUNS });
  return median(
    items.flatMap(({ created_at, settled_at }) =>
      settled_at === null ? [] : [Date.parse(settled_at) - Date.parse(created_at)],
    ),
  );
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
