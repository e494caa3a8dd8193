import { isObject, type Json, own } from '../json.ts';
import { addTally, emptyTally, readTally, type Tally } from './tally.ts';

/** Whose calls these are. */
export type RowName = { readonly protocol: string; readonly provider: string; readonly method: string };
export type StatsRow = RowName & { readonly tally: Tally };

/** What came of the calls in a while that began then. Wall time in milliseconds, at a full minute or hour. */
export type StatsSpan = { readonly at: number; readonly rows: readonly StatsRow[] };

/** More providers and methods than this share one row: memory and documents stay small, whatever is configured. */
export const MOST_ROWS = 200;
const OTHER = 'other';

/** The rows of one while, as they come. */
export class Rows {
  readonly #rows = new Map<string, StatsRow>();

  tallyOf({ protocol, provider, method }: RowName): Tally {
    const key = `${protocol}\n${provider}\n${method}`;
    const found = this.#rows.get(key);
    if (found !== undefined) return found.tally;
    if (this.#rows.size >= MOST_ROWS && protocol !== OTHER)
      return this.tallyOf({ protocol: OTHER, provider: OTHER, method: OTHER });
    const tally = emptyTally();
    this.#rows.set(key, { protocol, provider, method, tally });
    return tally;
  }

  add(rows: readonly StatsRow[]): void {
    for (const row of rows) addTally(this.tallyOf(row), row.tally);
  }

  get all(): readonly StatsRow[] {
    return [...this.#rows.values()];
  }
}

/** As they came out of a document; what is none is left out. */
export function readSpans(value: Json): readonly StatsSpan[] {
  const spans = isObject(value) ? own(value, 'spans') : undefined;
  if (!Array.isArray(spans)) return [];
  return spans.flatMap((span: Json) => {
    const at = isObject(span) ? own(span, 'at') : undefined;
    const rows = isObject(span) ? own(span, 'rows') : undefined;
    return typeof at === 'number' && Array.isArray(rows) ? { at, rows: rows.flatMap(readRow) } : [];
  });
}

function readRow(value: Json): StatsRow[] {
  if (!isObject(value)) return [];
  const [protocol, provider, method] = [own(value, 'protocol'), own(value, 'provider'), own(value, 'method')];
  if (typeof protocol !== 'string' || typeof provider !== 'string' || typeof method !== 'string') return [];
  return [{ protocol, provider, method, tally: readTally(own(value, 'tally')) }];
}
