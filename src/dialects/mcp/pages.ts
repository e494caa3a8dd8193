import { GleitzeitError } from '../../core/errors.ts';
import { type Json, type JsonObject, own } from '../../core/json.ts';
import { MAX_PAYLOAD, TOO_LARGE } from '../../core/limits.ts';

/** Lists by the method that gives them. */
export const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

const MOST_PAGES = 1000;

/**
 * All pages as one. Any text is a cursor, the empty one too; one that was there before leads in a circle, and ends the list
 * as if it had not been given.
 */
export async function allPages(
  key: string,
  params: JsonObject,
  ask: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  const items: Json[] = [];
  const seen = new Set<string>();
  let size = 0;
  let page = await ask(params);
  for (let count = 1; ; count++) {
    const found = own(page, key);
    if (!Array.isArray(found)) throw new GleitzeitError('GLZ2005', `the answer has no list "${key}"`);
    size += JSON.stringify(found).length;
    if (size > MAX_PAYLOAD) throw new GleitzeitError('GLZ2005', `the list "${key}" ${TOO_LARGE}`);
    items.push(...(found as Json[]));
    const { nextCursor: cursor, ...rest } = page;
    if (typeof cursor !== 'string' || seen.has(cursor)) return { ...rest, [key]: items };
    if (count === MOST_PAGES)
      throw new GleitzeitError('GLZ2005', `the list "${key}" has more than ${MOST_PAGES} pages`);
    seen.add(cursor);
    page = await ask({ ...params, cursor });
  }
}
