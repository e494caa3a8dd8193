import { type Json, type JsonObject, own } from '../../core/json.ts';
import type { ZoneErrorData } from './errors.ts';

/** A shorter token stands in names by chance. */
const SHORTEST_TOKEN = 8;

/** A text that repeats the token can be sealed; the name of a member would be stored as it is. Null where there is none. */
export function tokenInName(params: JsonObject): ZoneErrorData | null {
  const token = own(params, 'bot_token');
  if (typeof token !== 'string' || token.length < SHORTEST_TOKEN || !isNameIn(params, token)) return null;
  return { field: 'params', reason: 'the name of a member repeats bot_token, and names are not kept secret' };
}

function isNameIn(value: Json, token: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => name.includes(token) || isNameIn(item as Json, token));
}
