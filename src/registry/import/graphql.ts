import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { listIn, objectIn, textIn } from '../../core/members.ts';
import { described } from './described.ts';
import { type Imported, type ImportOptions, methodNames, unreadable } from './imported.ts';

/** So deep are answers asked for: fields of fields, and no further. */
const DEPTH = 2;
const MAX_FIELDS = 40;

/** A GraphQL service by its introspection: every field of queries and mutations is a method. */
export function fromGraphql(document: JsonObject, options: ImportOptions): Imported {
  const data = objectIn(document, 'data');
  const schema = Object.hasOwn(data, '__schema')
    ? objectIn(data, '__schema')
    : objectIn(document, '__schema');
  const types = new Map(
    listIn(schema, 'types')
      .filter(isObject)
      .map((type) => [textIn(type, 'name') ?? '', type]),
  );
  if (types.size === 0) throw unreadable('the introspection has no types', 'is it the whole answer?');
  const named = methodNames();
  const read = (['query', 'mutation'] as const).flatMap((kind) => {
    const root = types.get(textIn(objectIn(schema, `${kind}Type`), 'name') ?? '');
    return listIn(root, 'fields')
      .filter(isObject)
      .map((field) => methodOf(kind, field, { types, named }));
  });
  const entry = {
    name: options.name ?? 'graphql/v1',
    methods: Object.fromEntries(read.map(({ name, definition }) => [name, definition])),
    providers: [
      {
        type: 'graphql',
        config: {
          url: options.url ?? 'https://service.example/graphql',
          methods: Object.fromEntries(read.map(({ name, mapping }) => [name, mapping])),
        },
      },
    ],
  };
  const where = options.url === null ? ['put in the url of the service'] : [];
  return {
    entry,
    notes: [...where, `answers are asked for ${DEPTH} levels deep: change the documents to what you need`],
  };
}

type Types = ReadonlyMap<string, JsonObject>;
type Reading = { readonly types: Types; readonly named: (written: string) => string };

function methodOf(kind: 'query' | 'mutation', field: JsonObject, { types, named }: Reading) {
  const written = textIn(field, 'name') ?? '';
  const args = listIn(field, 'args').filter(isObject);
  const variables = args.map((arg) => `$${textIn(arg, 'name')}: ${typeText(own(arg, 'type'))}`);
  const passed = args.map((arg) => `${textIn(arg, 'name')}: $${textIn(arg, 'name')}`);
  const list = (items: readonly string[]) => (items.length === 0 ? '' : `(${items.join(', ')})`);
  const selection = selectionOf(own(field, 'type'), types, DEPTH);
  const required = args
    .filter((arg) => kindOf(own(arg, 'type')) === 'NON_NULL' && textIn(arg, 'defaultValue') === null)
    .map((arg) => textIn(arg, 'name'));
  return {
    name: named(written),
    definition: {
      ...described(field),
      ...(kind === 'query' ? { idempotent: true } : {}),
      params: {
        type: 'object',
        properties: Object.fromEntries(
          args.map((arg) => [textIn(arg, 'name') ?? '', inputSchema(own(arg, 'type'), inputsOf(types))]),
        ),
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
      },
    },
    mapping: {
      document: `${kind} ${written}${list(variables)} { ${written}${list(passed)}${selection} }`,
      result: `/${written}`,
    },
  };
}

function kindOf(type: unknown): string {
  return textIn(type, 'kind') ?? '';
}

/** As a variable is declared: `[ID!]!`. */
function typeText(type: unknown): string {
  const inner = isObject(type) ? own(type, 'ofType') : undefined;
  if (kindOf(type) === 'NON_NULL') return `${typeText(inner)}!`;
  if (kindOf(type) === 'LIST') return `[${typeText(inner)}]`;
  return textIn(type, 'name') ?? 'String';
}

function bareName(type: unknown): string {
  const inner = isObject(type) ? own(type, 'ofType') : undefined;
  return isObject(inner) ? bareName(inner) : (textIn(type, 'name') ?? '');
}

/** ` { id name owner { id } }`; nothing for what has no fields. */
function selectionOf(type: unknown, types: Types, depth: number): string {
  const found = types.get(bareName(type));
  const fields = listIn(found, 'fields').filter(isObject);
  if (fields.length === 0) return kindOf(found) === 'UNION' ? ' { __typename }' : '';
  const chosen = fields
    .filter(
      (field) =>
        !listIn(field, 'args').some((arg) => kindOf(own(isObject(arg) ? arg : {}, 'type')) === 'NON_NULL'),
    )
    .slice(0, MAX_FIELDS)
    .flatMap((field) => {
      const name = textIn(field, 'name') ?? '';
      const inner = types.get(bareName(own(field, 'type')));
      const isLeaf = kindOf(inner) === 'SCALAR' || kindOf(inner) === 'ENUM' || inner === undefined;
      if (isLeaf) return [name];
      return depth > 1 ? [`${name}${selectionOf(own(field, 'type'), types, depth - 1)}`] : [];
    });
  return ` { ${chosen.length === 0 ? '__typename' : chosen.join(' ')} }`;
}

const scalars: ReadonlyMap<string, Json> = new Map([
  ['Int', { type: 'integer' }],
  ['Float', { type: 'number' }],
  ['String', { type: 'string' }],
  ['ID', { type: ['string', 'integer'] }],
  ['Boolean', { type: 'boolean' }],
]);

/** Inputs that are written out for one argument; those that filter by everything reach everything from everywhere. */
const MAX_INPUTS = 50;

type Inputs = { readonly types: Types; readonly around: readonly string[]; readonly left: { count: number } };

function inputsOf(types: Types): Inputs {
  return { types, around: [], left: { count: MAX_INPUTS } };
}

function inputSchema(type: unknown, inputs: Inputs): Json {
  const { types, around, left } = inputs;
  const inner = isObject(type) ? own(type, 'ofType') : undefined;
  if (kindOf(type) === 'NON_NULL') return inputSchema(inner, inputs);
  if (kindOf(type) === 'LIST') return { type: 'array', items: inputSchema(inner, inputs) };
  const name = textIn(type, 'name') ?? '';
  const found = types.get(name);
  if (kindOf(found) === 'ENUM')
    return { type: 'string', enum: listIn(found, 'enumValues').map((value) => textIn(value, 'name') ?? '') };
  const fields = listIn(found, 'inputFields').filter(isObject);
  if (fields.length === 0) return scalars.get(name) ?? true;
  // An input inside itself has no end that could be written out.
  if (around.includes(name) || left.count-- <= 0) return true;
  const properties = fields.map((field) => [
    textIn(field, 'name') ?? '',
    inputSchema(own(field, 'type'), { ...inputs, around: [...around, name] }),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
