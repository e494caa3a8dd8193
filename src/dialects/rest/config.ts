import type { Static } from 'typebox';
import type { Json } from '../../core/json.ts';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Headers } from '../reached.ts';
import { Timeout } from '../timeout.ts';
import { Tls } from '../tls.ts';

const closed = { additionalProperties: false } as const;

/** Anything, read when the mapping is compiled. */
const Any = (description: string) => Type.Unsafe<Json>({ description });
const Pointer = (description: string) =>
  Type.String({ pattern: '^(?:/.*)?$', 'x-expected': 'a JSON pointer such as /data/items', description });
const Duration = (description: string, fallback: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-unit': 'duration',
    minimum: 0.001,
    maximum: 86_400,
    default: fallback,
    description,
  });
const Path = (description: string) =>
  Type.String({ pattern: '^/', 'x-expected': 'a path that begins with /', description });
const Parts = (description: string) => Type.Record(Type.String(), Any(''), { description });

const Status = (description: string) =>
  Type.Unsafe<number | readonly number[]>({ type: ['integer', 'array'], description });

export const errorClasses = ['rejected', 'server', 'rate_limit', 'timeout'] as const;

const ErrorRule = Type.Object(
  {
    status: Type.Optional(Status('the status, or a list of them; every one that is no success unless given')),
    at: Type.Optional(Pointer('a place in the answer that must be there, or be what `is` says')),
    is: Type.Optional(Any('the value at that place, or a list of values')),
    class: Type.Optional(
      Type.Enum([...errorClasses], {
        description: 'whether it is final (`rejected`) or may pass; by its status unless given',
      }),
    ),
    message: Type.Optional(Pointer('where the answer says what is wrong')),
    retry_after: Type.Optional(Pointer('where the answer says after how many seconds to ask again')),
  },
  closed,
);

const Errors = Type.Array(ErrorRule, {
  description: 'which answers are errors, and of which kind; the first that fits counts',
});

const Pagination = Type.Object(
  {
    by: Type.Enum(['next', 'cursor', 'page', 'offset'], {
      description:
        'how the next page is found: by an address, by a cursor, by its number, or by how many came before',
    }),
    items: Pointer('where the list of a page is; the lists of all pages become one there'),
    from: Type.Optional(
      Type.String({
        pattern: '^(?:/.*|link)$',
        'x-expected': 'a JSON pointer, or the word link',
        description:
          'for `next` and `cursor`: where the answer names the next page; `link` for the Link header',
      }),
    ),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'the word of the query that cursor, page or offset is sent as',
      }),
    ),
    body: Type.Optional(Pointer('the place in the body it is sent in, instead of `query`')),
    start: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'the number of the first page (1), or the first offset (0)',
      }),
    ),
    size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'a page with fewer items is the last' }),
    ),
    more: Type.Optional(Pointer('where the answer says whether there is more')),
    max_pages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'pages at most' }),
    ),
  },
  closed,
);

const Until = Type.Object(
  {
    at: Type.Optional(Pointer('the place that tells')),
    is: Type.Optional(Any('the value there, or a list of values')),
    status: Type.Optional(Status('the status that tells, instead of a place in the answer')),
  },
  closed,
);

const Poll = Type.Object(
  {
    path: Type.Optional(Path('where to ask how it is getting on: `/jobs/${answer.id}`')),
    url: Type.Optional(
      Type.String({
        pattern: '^(?:/.*|location)$',
        'x-expected': 'a JSON pointer, or the word location',
        description:
          'instead of `path`: where the answer names the address; `location` for the Location header',
      }),
    ),
    method: Type.Optional(Type.Enum(['GET', 'POST'], { default: 'GET', description: 'how it is asked' })),
    query: Type.Optional(Parts('added to the address')),
    body: Type.Optional(Any('sent with POST')),
    until: Until,
    failed: Type.Optional(
      Type.Object(
        {
          at: Pointer('the place that tells'),
          is: Type.Optional(Any('the value there, or a list of values')),
          message: Type.Optional(Pointer('where it says why')),
          class: Type.Optional(
            Type.Enum([...errorClasses], { default: 'rejected', description: 'how final that is' }),
          ),
        },
        { ...closed, description: 'when the job has failed' },
      ),
    ),
    progress: Type.Optional(Pointer('where the answer says how far it is')),
    total: Type.Optional(Pointer('where it says of how much')),
    message: Type.Optional(Pointer('where it says what it is doing')),
    interval: Type.Optional(Duration('time until the first question; grows by half each time', '1s')),
    max_interval: Type.Optional(Duration('time between two questions at most', '30s')),
    result_path: Type.Optional(
      Path('where the result is fetched when it is done: `/jobs/${answer.id}/result`'),
    ),
  },
  closed,
);

const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** What a request is made of. */
const request = {
  method: Type.Optional(
    Type.Enum([...httpMethods], { description: 'GET, or POST where something is sent, unless given' }),
  ),
  path: Type.Optional(Path('added to `url`; references are escaped: `/users/${params.id}`')),
  url: Type.Optional(
    Type.String({
      pattern: '^\\$\\{params\\b[^}]*\\}$',
      'x-expected': 'a reference to a param that holds an address: ${params.url}',
      description: 'instead of `path`: a whole address out of the params; public or in `network.allow`',
    }),
  ),
  query: Type.Optional(Parts('words of the query; lists are repeated, what is missing is left out')),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'headers of this method' }),
  ),
  body: Type.Optional(Any('sent as JSON')),
  form: Type.Optional(Parts('sent as a form, instead of `body`')),
  multipart: Type.Optional(Parts('sent as a form in several parts; `{base64, filename, type}` is a file')),
  text: Type.Optional(Type.String({ description: 'sent as plain text' })),
  binary: Type.Optional(Type.String({ description: 'bytes in base64, sent as they are' })),
};

const Before = Type.Object(
  {
    ...request,
    when: Type.Optional(
      Type.String({
        pattern: '^\\$\\{params\\b[^}]*\\}$',
        'x-expected': 'a reference to a param: ${params.file.data}',
        description: 'only where the task has this param',
      }),
    ),
  },
  {
    ...closed,
    description:
      'a request that is made first, such as an upload; what it answers is `${before…}` in the next one',
  },
);

export const Method = Type.Object(
  {
    ...request,
    before: Type.Optional(Before),
    answer: Type.Optional(
      Type.Enum(['json', 'text', 'binary', 'none'], {
        default: 'json',
        description: 'what the answer is; `binary` becomes `{base64, content_type, size}`',
      }),
    ),
    content_types: Type.Optional(
      Type.Array(Type.String(), {
        description: 'content types that are taken for it besides the usual ones',
      }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8 * 1024 * 1024, description: 'what an answer may measure' }),
    ),
    ok: Type.Optional(
      Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), {
        description: 'statuses that are a success besides 200 to 299',
      }),
    ),
    result: Type.Optional(
      Any('what becomes of the answer: a JSON pointer, or JSON with pointers in it; all of it unless given'),
    ),
    usage: Type.Optional(
      Type.Object(
        {
          input_tokens: Type.Optional(Pointer('where the answer says how many it read')),
          output_tokens: Type.Optional(Pointer('where it says how many it wrote')),
        },
        { ...closed, description: 'what the call used up' },
      ),
    ),
    pagination: Type.Optional(Pagination),
    poll: Type.Optional(Poll),
    errors: Type.Optional(Errors),
  },
  closed,
);

/** What every service over HTTP can be told. */
export const reached = {
  url: Type.String({
    pattern: '^https?://',
    'x-expected': 'an address that begins with http:// or https://',
    description: 'where the service is; the paths of its methods are added to it',
  }),
  headers: Type.Optional(Headers),
  auth: Type.Optional(Auth),
  timeout: Type.Optional(Timeout),
  connections: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 128,
      description: 'connections at most; calls beyond them wait for one',
    }),
  ),
  redirects: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 20, default: 0, description: 'redirects that are followed' }),
  ),
  idempotency: Type.Optional(
    Type.String({
      pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
      'x-expected': 'the name of a header, such as Idempotency-Key',
      description: 'the header that names a call, the same each time it is tried: `Idempotency-Key`',
    }),
  ),
  tls: Type.Optional(Tls),
};

export const RestConfig = Type.Object(
  {
    ...reached,
    methods: Type.Record(Type.String(), Method, {
      description: 'what each method of the protocol is over HTTP',
    }),
    errors: Type.Optional(Errors),
  },
  closed,
);

export type RestConfig = Static<typeof RestConfig>;
export type MethodConfig = Static<typeof Method>;
export type BeforeConfig = Static<typeof Before>;
export type PaginationConfig = Static<typeof Pagination>;
export type PollConfig = Static<typeof Poll>;
export type ErrorRuleConfig = Static<typeof ErrorRule>;
