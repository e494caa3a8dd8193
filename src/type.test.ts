import { Type as TypeBox } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Type } from './type.ts';

/** One of each, with and without options, as both write it. */
function written(T: typeof Type) {
  const word = T.String({ minLength: 1, description: 'a word' });
  return [
    T.Array(word),
    T.Array(word, { minItems: 2 }),
    T.Boolean({ default: true }),
    T.Enum(['a', 'b'], { default: 'a' }),
    T.Integer({ minimum: 1 }),
    T.Literal('sqlite', { default: 'sqlite' }),
    T.Literal(7),
    T.Null(),
    T.Number({ maximum: 2 }),
    T.Object({}),
    T.Object({ a: word, b: T.Optional(T.Number()) }, { title: 'Both', additionalProperties: false }),
    T.Object({ b: T.Optional(T.Unsafe<number>({ type: 'number' })) }),
    T.Record(T.String(), T.Number(), { description: 'any key' }),
    T.Record(T.String({ pattern: '^[a-z]$' }), word, { additionalProperties: false }),
    T.String(),
    T.Union([T.String(), T.Null()], { description: 'either' }),
    T.Optional(T.Object({ nested: T.Optional(T.Array(T.Object({ deep: word }))) })),
    T.Unsafe<string>({ type: 'string', enum: ['x'] }),
  ];
}

describe('Type', () => {
  it('writes what TypeBox writes, to the letter', () => {
    expect(written(Type).map((schema) => JSON.stringify(schema))).toEqual(
      written(TypeBox).map((schema) => JSON.stringify(schema)),
    );
  });

  it('is not changed by making something optional of it', () => {
    const word = Type.String();
    Type.Optional(word);
    expect(Type.Object({ word })).toMatchObject({ required: ['word'] });
  });
});
