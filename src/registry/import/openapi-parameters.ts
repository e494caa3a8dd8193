import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { objectIn, textIn } from '../../core/members.ts';
import { resolved } from './import-schema.ts';

export type Parameter = {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Json;
  /** What tasks call it: unique over path, query and headers. */
  readonly key: string;
};

export type Reading = {
  readonly document: JsonObject;
  readonly schemaOf: (schema: unknown) => Json;
  readonly notes: string[];
};

/** Said elsewhere in a document: by its security and by the types of its bodies. */
const notParameters = ['accept', 'content-type', 'authorization'];

/**
 * Those of the operation come first: they stand instead of those of its path. A word of the path that nobody describes is
 * one all the same, since there is no request without it.
 */
export function parametersOf(written: readonly Json[], path: string, reading: Reading): Parameter[] {
  const words = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({ name, in: 'path' }));
  const found: Parameter[] = [];
  const taken = new Set(['body']);
  for (const parameter of [...written, ...words].filter(isObject)) {
    const read = parameterOf(resolved(reading.document, parameter), reading);
    if (read === null || found.some(({ name, place }) => name === read.name && place === read.place))
      continue;
    const key = taken.has(read.name) ? `${read.place}_${read.name}` : read.name;
    taken.add(key);
    found.push({ ...read, key });
  }
  return found;
}

function parameterOf(parameter: JsonObject, { schemaOf, notes }: Reading): Omit<Parameter, 'key'> | null {
  const name = textIn(parameter, 'name');
  const place = textIn(parameter, 'in');
  if (name === null || place === null) return null;
  if (place === 'cookie') notes.push(`the cookie ${name} is not sent`);
  if (place === 'cookie' || (place === 'header' && notParameters.includes(name.toLowerCase()))) return null;
  const [content] = Object.values(objectIn(parameter, 'content'));
  const described = own(parameter, 'schema') ?? own(isObject(content) ? content : {}, 'schema');
  const schema = described === undefined && place === 'path' ? { type: 'string' } : schemaOf(described);
  if (place === 'query' && isOddlyWritten(parameter, schema))
    notes.push(`the query ${name} is sent in another form than the service asks for: see query`);
  return { name, place, schema, required: place === 'path' || parameter['required'] === true };
}

/** We repeat a word for each item of a list, and write objects as JSON. */
function isOddlyWritten(parameter: JsonObject, schema: Json): boolean {
  const isList = textIn(schema, 'type') === 'array';
  if (Object.hasOwn(parameter, 'content')) return isList;
  const isObjectLike = textIn(schema, 'type') === 'object';
  return (
    isObjectLike ||
    (isList && (parameter['explode'] === false || (textIn(parameter, 'style') ?? 'form') !== 'form'))
  );
}

/** The path, with what tasks say in it. */
export function pathWith(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, word: string) => {
    const key = parameters.find(({ name, place }) => name === word && place === 'path')?.key ?? word;
    return `\${params${member(key)}}`;
  });
}

/** Everything that is sent as a word of the query, or as a header. */
export function wordsIn(place: 'query' | 'header', parameters: readonly Parameter[]): JsonObject {
  const members = parameters
    .filter((one) => one.place === place)
    .map(({ name, key }) => [name, `\${params${member(key)}}`] as const);
  return Object.fromEntries(members);
}

/** `.name`, or `["odd name"]`. */
export function member(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
