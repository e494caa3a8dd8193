import type { Static } from 'typebox';
import type { Json } from '../../core/json.ts';
import { Type } from '../../type.ts';
import { errorClasses, reached } from '../rest/config.ts';

const closed = { additionalProperties: false } as const;

const Pointer = (description: string) =>
  Type.String({ pattern: '^(?:/.*)?$', 'x-expected': 'a JSON pointer such as /search/nodes', description });

const Errors = Type.Record(Type.String(), Type.Enum([...errorClasses]), {
  description: 'what an `extensions.code` of an error means: `{QUOTA_EXCEEDED: rate_limit}`',
});

const Pagination = Type.Object(
  {
    items: Pointer('where in `data` the list of a page is; the lists of all pages become one there'),
    from: Pointer('where in `data` the cursor of the next page is: `/search/pageInfo/endCursor`'),
    variable: Type.String({ minLength: 1, description: 'the variable it is sent as: `after`' }),
    more: Type.Optional(
      Pointer('where in `data` it says whether there is more: `/search/pageInfo/hasNextPage`'),
    ),
    max_pages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'pages at most' }),
    ),
  },
  closed,
);

const Method = Type.Object(
  {
    document: Type.String({ minLength: 1, description: 'the query or mutation' }),
    operation: Type.Optional(
      Type.String({ minLength: 1, description: 'which one is meant, where the document has several' }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<Json>({ description: '' }), {
        description: 'variable → value, with references; the params of the same names unless given',
      }),
    ),
    result: Type.Optional(
      Type.Unsafe<Json>({
        description:
          'what becomes of `data`: a JSON pointer, or JSON with pointers in it; all of it unless given',
      }),
    ),
    partial: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'take what data there is, though there are errors beside it',
      }),
    ),
    pagination: Type.Optional(Pagination),
  },
  closed,
);

const { url: _, ...others } = reached;

export const GraphqlConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with http:// or https://',
      description: 'where operations are posted',
    }),
    ...others,
    methods: Type.Record(Type.String(), Method, {
      description: 'what each method of the protocol is as a query or mutation',
    }),
    errors: Type.Optional(Errors),
  },
  closed,
);

export type GraphqlConfig = Static<typeof GraphqlConfig>;
export type GraphqlMethod = Static<typeof Method>;
