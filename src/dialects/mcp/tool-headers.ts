import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { headerValue } from './envelope.ts';

/** An argument of a tool that is repeated in a header: where it stands, and what the header is called. */
export type Mirrored = { readonly path: readonly string[]; readonly header: string };

const KEY = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What the schema of a tool's arguments says about headers, or what is wrong with that: such a tool must not be called. */
export function mirroredIn(schema: unknown): readonly Mirrored[] | { readonly invalid: string } {
  const found: Mirrored[] = [];
  const invalid = walk(schema, { path: [], reachable: true, found });
  if (invalid !== null) return { invalid };
  const names = found.map(({ header }) => header.toLowerCase());
  return new Set(names).size === names.length ? found : { invalid: 'two arguments share a header' };
}

type Place = {
  readonly path: readonly string[];
  /** Only by `properties` from the root on. */
  readonly reachable: boolean;
  readonly found: Mirrored[];
};

/** What is wrong; null for nothing. */
function walk(schema: unknown, place: Place): string | null {
  if (Array.isArray(schema)) return first(schema, (item) => walk(item, { ...place, reachable: false }));
  if (!isObject(schema)) return null;
  const header = own(schema, KEY);
  const wrong = header === undefined ? null : troubleWith(header, schema, place);
  if (wrong !== null) return wrong;
  if (typeof header === 'string') place.found.push({ path: place.path, header: `mcp-param-${header}` });
  return first(Object.entries(schema), ([key, inner]) => {
    if (key !== 'properties' || !isObject(inner)) return walk(inner, { ...place, reachable: false });
    return first(Object.entries(inner), ([name, property]) =>
      walk(property, { ...place, path: [...place.path, name] }),
    );
  });
}

function troubleWith(header: unknown, schema: JsonObject, { path, reachable }: Place): string | null {
  const where = `${KEY} of ${path.length === 0 ? 'the arguments' : path.join('.')}`;
  if (typeof header !== 'string' || !token.test(header)) return `${where} is no name of a header`;
  if (!reachable || path.length === 0) return `${where} stands where no value can be found by its path`;
  const primitive = ['string', 'integer', 'boolean'].includes(String(own(schema, 'type')));
  return primitive ? null : `${where} is for text, integers and booleans only`;
}

function first<Item>(items: readonly Item[], look: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}

/** The headers of one call. What is missing or null has none. */
export function mirroredHeaders(mirrored: readonly Mirrored[], args: Json): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirrored) {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? own(at, key) : undefined), args);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      headers[header.toLowerCase()] = headerValue(String(value));
  }
  return headers;
}
