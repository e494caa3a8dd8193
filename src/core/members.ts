import { isObject, type Json, type JsonObject, own } from './json.ts';

/** What others say is read member by member: any of it may be missing, or something else than was promised. */

/** Empty where there is none. */
export function objectIn(value: unknown, key: string): JsonObject {
  const found = isObject(value) ? own(value, key) : undefined;
  return isObject(found) ? found : {};
}

/** Empty where there is none. */
export function listIn(value: unknown, key: string): readonly Json[] {
  const found = isObject(value) ? own(value, key) : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

export function textIn(value: unknown, key: string): string | null {
  const found = isObject(value) ? own(value, key) : undefined;
  return typeof found === 'string' ? found : null;
}
