import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { judge } from './params.ts';

const scalar: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'string', minLength: 2, maxLength: 3 },
    { type: 'integer', minimum: 0, maximum: 5 },
    { type: 'number', exclusiveMinimum: 0 },
    { type: 'boolean' },
    { type: 'null' },
    { type: ['string', 'integer'] },
    { enum: ['a', 1, null, { x: [1] }] },
    { const: 'a' },
    {},
  ),
);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 3, arbitrary: scalar },
    {
      weight: 2,
      arbitrary: fc
        .record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
          required: fc.subarray(['a', 'b']),
          additionalProperties: fc.option(fc.oneof(fc.boolean(), tie('schema')), { nil: undefined }),
        })
        .map(({ additionalProperties, ...rest }) => ({
          type: 'object',
          ...rest,
          ...(additionalProperties === undefined ? {} : { additionalProperties }),
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .record({ items: tie('schema'), minItems: fc.nat({ max: 2 }) })
        .map((rest) => ({ type: 'array', ...rest })),
    },
    {
      weight: 1,
      arbitrary: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    },
    {
      weight: 1,
      arbitrary: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    },
  ) as fc.Arbitrary<JsonObject>,
}));

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>('a', 'ab', 'abcd', '', 0, 1, 5, 6, -1, 1.5, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x'), tie('value'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
})).value;

function refusal(params: JsonObject, root: JsonObject): string | null {
  const protocols = createProtocols();
  protocols.register(parseProtocol({ name: 'p/v1', methods: { m: { params: root } } }));
  try {
    protocols.checkParams({ protocol: 'p/v1', method: 'm', params, stage: 'final' });
    return null;
  } catch (thrown) {
    return GleitzeitError.from(thrown).message;
  }
}

describe('params without references', { timeout: 120_000 }, () => {
  it('are refused here only where the engine refuses them, and there unless it is too much to say', () => {
    fc.assert(
      fc.property(schema, value, (inner, param) => {
        const root: JsonObject = {
          type: 'object',
          properties: { p: { $ref: '#/$defs/inner' } },
          required: ['p'],
          $defs: { inner },
        };
        const params = { p: param };
        const found = judge(params, { root, schema: root }, [], { texts: new Map(), kindsOf: () => null });
        const said = refusal(params, root);
        const told = `${JSON.stringify(found)} ${said}`;
        if (found.length > 0) expect(said, told).not.toBeNull();
        // Of very many ways to fit nothing is said here; the engine has the last word.
        const choices = JSON.stringify(inner).split('anyOf').length - 1;
        if (choices <= 3) expect(found.length > 0, told).toBe(said !== null);
      }),
      { numRuns: 1000 },
    );
  });
});
