import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';

/**
 * What an agent is told in words: a text as it is; of an object its `text`, else its `query`; anything else as JSON.
 * Empty ones do not count, so that an agent is never asked nothing while there is something to ask.
 */
export function inputText(input: Json): string {
  if (typeof input === 'string') return input;
  if (!isObject(input)) return JSON.stringify(input);
  for (const name of ['text', 'query']) {
    const value = own(input, name) as Json | undefined;
    if (value === undefined || value === null || value === '') continue;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return JSON.stringify(input);
}

/** What a call of a protocol's method is to an agent that knows only one way of being spoken to. */
export function callInput(method: string, params: JsonObject): JsonObject {
  return { method, params };
}
