import type { JsonObject } from '../../core/json.ts';
import { textIn } from '../../core/members.ts';

/** What it says of itself, where it says anything. */
export function described(value: JsonObject): JsonObject {
  const text = textIn(value, 'description') ?? textIn(value, 'summary');
  return text === null || text === '' ? {} : { description: text };
}
