import type { Type as TypeBox } from 'typebox';

/** What of TypeBox is used here. */
type Builder = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;

type Schema = { readonly [key: string]: unknown };
type Schemas = { readonly [key: string]: Schema };

const OPTIONAL = '~optional';
/** What stands for any key, as TypeBox writes it. */
const ANY_KEY = '^.*$';

const builder = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: (properties: Schemas, options?: Schema) => {
    const required = Object.keys(properties).filter((key) => !(OPTIONAL in (properties[key] ?? {})));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Record: ({ pattern = ANY_KEY }: { readonly pattern?: string }, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
};

/**
 * The words of TypeBox with which schemas are written, and its types for what they describe. Its own code is 700 files,
 * which a command that ends in a moment would spend a fifth of its time on; what it makes is plain JSON Schema, and
 * type.test.ts holds every schema of ours against what it would have made.
 */
export const Type = builder as unknown as Builder;
