import type { Static } from 'typebox';
import type { Json, JsonObject } from '../../core/json.ts';
import type { JsonSchema } from '../../core/json-schema.ts';
import { Type } from '../../type.ts';
import { item, text } from '../words.ts';

/** What a key of `config` may hold, and the schema it stands for. */
export const kinds = {
  text: { type: 'string', minLength: 1 },
  url: {
    type: 'string',
    pattern: '^https?://',
    'x-expected': 'an address that begins with http:// or https://',
  },
  secret: { type: 'string', minLength: 1, 'x-secret': true },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  duration: { type: ['number', 'string'], 'x-unit': 'duration', minimum: 0.001, maximum: 86_400 },
  texts: { type: 'array', items: { type: 'string', minLength: 1 } },
  mapping: { type: 'object' },
  path: { type: 'string', minLength: 1, 'x-path': true, 'x-secret': false },
  any: {},
} as const satisfies Readonly<Record<string, JsonObject>>;

const key = item('a key of `config`', {
  type: Type.Enum(Object.keys(kinds), { description: 'what it holds' }),
  description: Type.Optional(text('what it is for')),
  required: Type.Optional(Type.Boolean({ description: 'whether it must be given' })),
  default: Type.Optional(Type.Unsafe<Json>({ description: 'what counts where it is not given' })),
  enum: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'the only texts that are allowed' }),
  ),
  minimum: Type.Optional(Type.Number({ description: 'the least a number may be' })),
  maximum: Type.Optional(Type.Number({ description: 'the most' })),
});

/** A file that makes a type of provider out of one that is there. */
export const presetSchema = item('a type of provider', {
  type: text('what configurations call it', {
    pattern: '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$',
    'x-expected': 'small letters and digits, with hyphens between them',
  }),
  summary: text('what it is, in one sentence'),
  dialect: text('the type it is made of: `rest`, `graphql`, `llm`, `mcp-http`, `jsonrpc-http`, `process` …'),
  protocols: Type.Array(text('a protocol it implements'), {
    default: [],
    description: 'the protocols it implements; any where it is left out',
  }),
  unverified: Type.Boolean({
    default: false,
    description: "whether it was written by the vendor's documents alone",
  }),
  config: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), key, {
    additionalProperties: false,
    default: {},
    description: 'what a provider of this type is told, key by key',
  }),
  use: Type.Unsafe<JsonObject>({
    type: 'object',
    description:
      'the `config` of the type it is made of; `${config.key}` stands for what a provider is told, and what names a key that is not given is left out',
  }),
});

export type WrittenPreset = Static<typeof presetSchema>;

/** What a provider of the type is told, as a schema for files. */
export function schemaOf(config: WrittenPreset['config']): JsonSchema {
  const properties = Object.entries(config).map(([name, { type, required: _, ...words }]) => [
    name,
    { ...kinds[type as keyof typeof kinds], ...words },
  ]);
  const required = Object.keys(config).filter((name) => config[name]?.required === true);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}
