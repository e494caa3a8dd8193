import { describe, expectTypeOf, it } from 'vitest';
import type { Json, JsonObject } from '../core/json.ts';
import {
  type ParamsOf,
  type ProtocolInput,
  protocol,
  type ReceivedParamsOf,
  type ResultOf,
  type SubmitParamsOf,
} from './typed.ts';

const search = protocol({
  name: 'web-search/v1',
  methods: {
    search: {
      params: {
        query: { type: 'string', required: true },
        max_results: { type: 'integer', default: 10 },
        safe: { type: 'boolean' },
        order: { enum: ['date', 'rank'] },
        tags: { type: 'array', items: { type: 'string' } },
        type: { type: 'string' },
      },
      returns: {
        type: 'object',
        properties: {
          results: { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } },
        },
        required: ['results'],
      },
    },
    schema: {
      params: {
        type: 'object',
        properties: {
          n: { type: ['integer', 'null'] },
          deep: { type: 'object', properties: { a: { const: 1 } } },
        },
        required: ['n'],
        additionalProperties: true,
      },
      returns: { count: { type: 'integer', required: true } },
    },
    open: { params: { id: { type: 'string', required: true }, '*': true } },
    ping: {},
  },
});
type Search = typeof search;

/** Values made only for their types. */
function use(..._values: unknown[]): void {}

describe('types of a protocol', () => {
  it('reads params from shorthand', () => {
    type Params = ParamsOf<Search, 'search'>;
    expectTypeOf<Params['query']>().toEqualTypeOf<string>();
    expectTypeOf<Params['max_results']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Params['order']>().toEqualTypeOf<'date' | 'rank' | undefined>();
    expectTypeOf<Params['tags']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<Params['type']>().toEqualTypeOf<string | undefined>();
    const good: Params = { query: 'q' };
    // @ts-expect-error a required key is missing
    const missing: Params = { max_results: 3 };
    // @ts-expect-error a key is misspelt
    const unknown: Params = { query: 'q', max_result: 3 };
    // @ts-expect-error a value has the wrong type
    const wrong: Params = { query: 3 };
    use(good, missing, unknown, wrong);
  });

  it('fills defaults for the provider', () => {
    type Received = ReceivedParamsOf<Search, 'search'>;
    expectTypeOf<Received['max_results']>().toEqualTypeOf<number>();
    expectTypeOf<Received['safe']>().toEqualTypeOf<boolean | undefined>();
  });

  it('accepts references in a field of any type when a task is submitted', () => {
    type Submit = SubmitParamsOf<Search, 'search'>;
    const good: Submit = {
      query: 'x',
      max_results: '${a.result.n}',
      tags: ['t', '${a.result.tag}'],
      order: '${b.result}',
    };
    const whole: Submit = { query: '${a.result}', tags: '${a.result.tags}', safe: true };
    // @ts-expect-error text without a reference stays text
    const text: Submit = { query: 'x', max_results: 'three' };
    // @ts-expect-error an unknown key stays unknown
    const unknown: Submit = { query: 'x', max_result: '${a.result}' };
    use(good, whole, text, unknown);
  });

  it('reads JSON Schema', () => {
    type Params = ParamsOf<Search, 'schema'>;
    expectTypeOf<Params['n']>().toEqualTypeOf<number | null>();
    expectTypeOf<ResultOf<Search, 'search'>>().toEqualTypeOf<{
      readonly results: readonly { readonly title?: string }[];
    }>();
    const open: Params = { n: 3, other: [1] };
    // @ts-expect-error a nested value has the wrong type
    const wrong: Params = { n: 3, deep: { a: 2 } };
    const more: ParamsOf<Search, 'open'> = { id: 'x', anything: 1 };
    use(open, wrong, more);
    expectTypeOf<ResultOf<Search, 'schema'>['count']>().toEqualTypeOf<number>();
  });

  it('falls back to JSON where nothing is said', () => {
    expectTypeOf<ParamsOf<Search, 'ping'>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<ResultOf<Search, 'ping'>>().toEqualTypeOf<Json>();
    expectTypeOf<ParamsOf<ProtocolInput, string>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<ResultOf<ProtocolInput, string>>().toEqualTypeOf<Json>();
  });

  it('knows its methods', () => {
    // @ts-expect-error there is no such method
    type Params = ParamsOf<Search, 'serach'>;
    expectTypeOf<Params>().not.toBeNever();
  });
});
