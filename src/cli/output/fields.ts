import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { type Column, table, type View } from './table.ts';

/** The things that `--fields` chooses from: the items of a list, or the one thing there is. */
export function itemsOf(data: unknown): readonly unknown[] {
  const items = isObject(data) ? own(data, 'items') : undefined;
  return Array.isArray(items) ? items : Array.isArray(data) ? data : [data];
}

/** The data with only these fields in each item. */
export function pickFields(data: unknown, fields: readonly string[]): unknown {
  const items = itemsOf(data);
  checkFields(items, fields);
  const picked = items.map((item) =>
    Object.fromEntries(fields.map((field) => [field, valueAt(item, field)])),
  );
  if (Array.isArray(data)) return picked;
  return isObject(data) && Array.isArray(own(data, 'items')) ? { ...data, items: picked } : picked[0];
}

/** The fields as columns. */
export function fieldTable(data: unknown, fields: readonly string[], view: View): string {
  const items = itemsOf(data);
  checkFields(items, fields);
  const columns = fields.map(
    (field): Column<unknown> => ({ title: field, value: (item) => shown(valueAt(item, field)) }),
  );
  return table(items, columns, view);
}

/** `error.message` leads inside. Null where an item has nothing there. */
function valueAt(item: unknown, field: string): unknown {
  let value: unknown = item;
  for (const step of field.split('.')) value = isObject(value) ? own(value, step) : undefined;
  return value ?? null;
}

function shown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field that no item has is a mistake; one that some lack is not. */
function checkFields(items: readonly unknown[], fields: readonly string[]): void {
  const keys = [...new Set(items.flatMap((item) => (isObject(item) ? Object.keys(item) : [])))];
  if (keys.length === 0) return;
  for (const field of fields) {
    const [first = ''] = field.split('.');
    if (keys.includes(first)) continue;
    const hint = didYouMean(first, keys, 'fields here');
    throw new GleitzeitError('GLZ1012', `there is no field "${first}"`, { field: 'fields', hint });
  }
}
