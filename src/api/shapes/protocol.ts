import type { JsonSchema } from '../../core/json-schema.ts';
import { Type } from '../../type.ts';
import { anyJson, anyObject, name, nullable } from './basic.ts';

const schemaText = 'JSON Schema 2020-12, or a list of properties';
const schemaInput = Type.Unsafe<JsonSchema>({ type: ['object', 'boolean'], description: schemaText });

const methodInput = Type.Object(
  {
    description: Type.Optional(Type.String()),
    params: Type.Optional(schemaInput),
    returns: Type.Optional(schemaInput),
    examples: Type.Optional(Type.Array(anyObject)),
    deprecated: Type.Optional(Type.Boolean()),
    idempotent: Type.Optional(
      Type.Boolean({
        description: 'it may be called twice: where a provider is slow, another can be asked too',
      }),
    ),
  },
  { title: 'ProtocolMethodInput', additionalProperties: false },
);

export const protocolInput = Type.Object(
  {
    name: name('with its version: `web-search/v1`'),
    title: Type.Optional(Type.String()),
    version: Type.Optional(name('without it the last part of the name')),
    description: Type.Optional(Type.String()),
    extends: Type.Optional(name('a protocol whose methods it has too')),
    methods: Type.Record(Type.String(), methodInput),
  },
  { title: 'ProtocolInput', additionalProperties: false },
);

const schema = Type.Unsafe<JsonSchema>({ type: ['object', 'boolean'] });

const method = Type.Object(
  {
    description: nullable(Type.String()),
    params: schema,
    returns: schema,
    examples: Type.Array(Type.Object({ params: anyObject, result: Type.Optional(anyJson) })),
    deprecated: Type.Boolean(),
    idempotent: Type.Boolean({ description: 'it may be called twice' }),
  },
  { title: 'ProtocolMethod' },
);

const heading = {
  name: Type.String(),
  title: nullable(Type.String()),
  version: Type.String(),
  description: nullable(Type.String()),
  extends: nullable(Type.String()),
};

export const protocol = Type.Object(
  { ...heading, methods: Type.Record(Type.String(), method) },
  { title: 'Protocol', description: 'shorthand is written out as JSON Schema' },
);

export const protocolItem = Type.Object(
  {
    ...heading,
    methods: Type.Array(Type.String()),
    providers: Type.Array(Type.String(), { description: 'the ids of those that are connected here' }),
  },
  { title: 'ProtocolItem' },
);
