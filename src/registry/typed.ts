import type { Json, JsonObject } from '../core/json.ts';
import { parseProtocol } from '../core/protocol.ts';

/** A protocol as one writes it in code: shorthand or JSON Schema, see protocol-schema.ts. */
export type ProtocolInput = {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly extends?: string;
  readonly methods: Readonly<Record<string, MethodInput>>;
};

type SchemaInput = JsonObject | boolean;
type MethodInput = {
  readonly description?: string;
  readonly params?: SchemaInput;
  readonly returns?: SchemaInput;
  readonly examples?: readonly Json[];
  readonly deprecated?: boolean;
  readonly idempotent?: boolean;
};

/**
 * Checks a protocol (GLZ1008) and hands it back as it was written, its literal types kept, so that the editor knows
 * what its methods take and give.
 */
export function protocol<const P extends ProtocolInput>(definition: P): P {
  parseProtocol(definition);
  return definition;
}

export type MethodOf<P extends ProtocolInput> = keyof P['methods'] & string;

/** What a caller gives: keys with a default may be left out. */
export type ParamsOf<P extends ProtocolInput, M extends MethodOf<P>> = ParamsFrom<P['methods'][M], 'given'>;

/** What a task may be submitted with: a field of any type may also be a reference to be filled in. */
export type SubmitParamsOf<P extends ProtocolInput, M extends MethodOf<P>> = Fields<ParamsOf<P, M>>;

/** What a provider receives: references filled, defaults applied. */
export type ReceivedParamsOf<P extends ProtocolInput, M extends MethodOf<P>> = ParamsFrom<
  P['methods'][M],
  'received'
>;

export type ResultOf<P extends ProtocolInput, M extends MethodOf<P>> = P['methods'][M] extends {
  returns: infer S;
}
  ? TypeOf<Written<S, true>, 'given'>
  : Json;

/** Text that holds a reference. */
export type Template = `${string}\${${string}}${string}`;

type Stage = 'given' | 'received';

type ParamsFrom<Method, At extends Stage> = Method extends { params: infer S }
  ? OrObject<TypeOf<Written<S, false>, At>>
  : JsonObject;
type OrObject<T> = Json extends T ? JsonObject : T;

/** Shorthand written out as the schema it stands for. */
type Written<S, Open extends boolean> =
  IsShorthand<S> extends true
    ? {
        type: 'object';
        properties: Omit<S, '*'>;
        additionalProperties: S extends { '*': infer Others } ? Others : Open;
      }
    : S;
type IsShorthand<S> = S extends object
  ? keyof S extends never
    ? false
    : true extends { [K in keyof S]: IsKeyword<K, S[K]> }[keyof S]
      ? false
      : true
  : false;
type IsKeyword<K, V> = V extends readonly unknown[]
  ? true
  : V extends object | boolean
    ? K extends `$${string}`
      ? true
      : K extends 'additionalProperties'
        ? V extends boolean
          ? true
          : false
        : K extends 'properties'
          ? HoldsSchemas<V>
          : false
    : true;
type HoldsSchemas<V> = V extends object ? ([V[keyof V]] extends [object | boolean] ? true : false) : false;

type TypeOf<S, At extends Stage> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { type: infer Name }
      ? Named<Name, S, At>
      : S extends { properties: object }
        ? ObjectOf<S, At>
        : S extends { anyOf: readonly (infer Form)[] } | { oneOf: readonly (infer Form)[] }
          ? TypeOf<Form, At>
          : Json;

type Named<Name, S, At extends Stage> = Name extends readonly (infer Each)[]
  ? Named<Each, S, At>
  : Name extends 'string'
    ? string
    : Name extends 'integer' | 'number'
      ? number
      : Name extends 'boolean'
        ? boolean
        : Name extends 'null'
          ? null
          : Name extends 'array'
            ? readonly (S extends { items: infer Item } ? TypeOf<Item, At> : Json)[]
            : Name extends 'object'
              ? ObjectOf<S, At>
              : Json;

/** Keys nobody listed are an error in the editor unless `additionalProperties` plainly allows them. */
type ObjectOf<S, At extends Stage> = S extends { properties: infer Props extends object }
  ? Flat<
      { readonly [K in Extract<keyof Props, NeededKeys<S, Props, At>>]: TypeOf<Props[K], At> } & {
        readonly [K in Exclude<keyof Props, NeededKeys<S, Props, At>>]?: TypeOf<Props[K], At>;
      }
    > &
      (S extends { additionalProperties: infer Others } ? OpenTo<Others> : unknown)
  : JsonObject;
type OpenTo<Others> = Others extends false ? unknown : JsonObject;
type Flat<T> = { [K in keyof T]: T[K] };

type NeededKeys<S, Props, At extends Stage> = At extends 'received'
  ? RequiredKeys<S, Props> | DefaultedKeys<Props>
  : Exclude<RequiredKeys<S, Props>, DefaultedKeys<Props>>;
type RequiredKeys<S, Props> =
  | (S extends { required: readonly (infer Key)[] } ? Key : never)
  | { [K in keyof Props]: Props[K] extends { required: true } ? K : never }[keyof Props];
type DefaultedKeys<Props> = {
  [K in keyof Props]: Props[K] extends { default: unknown } ? K : never;
}[keyof Props];

type Fields<T> = { [K in keyof T]: Fillable<T[K]> };
type Fillable<T> = Json extends T
  ? T
  :
      | Template
      | (T extends readonly (infer Item)[] ? readonly Fillable<Item>[] : T extends object ? Fields<T> : T);
