import { Type } from '../../type.ts';
import { Auth, SecretText } from '../auth/config.ts';
import { Path, Tls } from '../tls.ts';
import { modernRevisions, sessionRevisions } from './revisions.ts';

const Duration = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-unit': 'duration',
    minimum: 0.001,
    maximum: 86_400,
    description,
  });

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** What every server can be told, whatever carries it. */
const common = {
  tools: Type.Optional(
    Texts(
      'the tool behind a method of the protocol: `search: web_search`; the same names where it is left out',
    ),
  ),
  version: Type.Optional(
    Type.Enum(['auto', ...modernRevisions, ...sessionRevisions], {
      default: 'auto',
      description: 'the revision of MCP; `auto` finds out what the server has',
    }),
  ),
  namespaced: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'lists tools as `provider.tool`; such names can always be called',
    }),
  ),
  tool_errors: Type.Optional(
    Type.Enum(['retry', 'final'], {
      default: 'retry',
      description: 'whether a tool that reports an error may be called again by the retries of its task',
    }),
  ),
  output_schema: Type.Optional(
    Type.Enum(['warn', 'strict', 'off'], {
      default: 'warn',
      description: 'what is done where the result of a tool does not fit the schema its server gives for it',
    }),
  ),
  roots: Type.Optional(
    Type.Array(Type.String(), {
      description: 'addresses of folders the server may be told of: `file:///data`',
    }),
  ),
  elicitation: Type.Optional(
    Type.Unsafe<'decline' | 'defaults' | Record<string, string | number | boolean>>({
      type: ['string', 'object'],
      pattern: '^(?:decline|defaults)$',
      'x-expected': '`decline`, `defaults`, or the answers by the names of the fields',
      default: 'decline',
      description:
        'what questions to a person are answered with: `decline`, `defaults` for what the server proposes, or fields and values that go before it',
    }),
  ),
  timeout: Type.Optional(
    Duration('how long a call may take in all, where that is less than the task would wait'),
  ),
  idle_timeout: Type.Optional(
    Duration('how long nothing may be heard of a call; every notification of progress starts it anew'),
  ),
  start_timeout: Type.Optional(
    Duration('how long the server may take until it can be spoken to; 60 s by default'),
  ),
};

const env = Type.Optional(
  Texts('variables it gets besides a few harmless ones; `${secrets.name}` is filled in'),
);
const cwd = Type.Optional(Path('the folder it runs in'));

/** A program that is started here, by its command or by the path behind `stdio://`. */
export const McpServerConfig = Type.Object(
  {
    command: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'the program and its arguments; no shell reads them',
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^stdio://.',
        'x-expected': 'stdio:// and the path of a program',
        description: 'instead of `command`: the path of a program without arguments',
      }),
    ),
    cwd,
    env,
    ...common,
  },
  { additionalProperties: false },
);

const Headers = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  Type.String({ pattern: '^[^\\r\\n\\0]*$', 'x-expected': 'one line of text' }),
  { additionalProperties: false, description: 'sent with every request; `${secrets.name}` is filled in' },
);

const line = { pattern: '^[^\\r\\n\\0]+$', 'x-expected': 'one line of text' };

/** Tokens by the authorization of MCP: who gives them is found out from the server. */
export const OAuth = Type.Object(
  {
    grant: Type.Optional(
      Type.Enum(['client_credentials', 'authorization_code'], {
        default: 'client_credentials',
        description: 'whether this client is let in as itself, or because a person allowed it',
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        ...line,
        description: 'the name of this client; without it, it registers itself where it can',
      }),
    ),
    client_secret: Type.Optional(SecretText('the secret of this client, `${secrets.name}`')),
    private_key: Type.Optional(
      SecretText('instead of a secret: the key that signs who this client is, in PEM, `${secrets.name}`'),
    ),
    refresh_token: Type.Optional(
      SecretText('a refresh token that a person allowed elsewhere, `${secrets.name}`'),
    ),
    client_metadata_url: Type.Optional(
      Type.String({
        pattern: '^https://[^/]+/.',
        'x-expected': 'an address that begins with https:// and has a path',
        description: 'where a document about this client can be read, for issuers that take it as its name',
      }),
    ),
    issuer: Type.Optional(
      Type.String({
        ...line,
        description: 'the only issuer this client is known to; the first that is met otherwise',
      }),
    ),
    scope: Type.Optional(
      Type.String({ ...line, description: 'what is asked for besides what the server wants' }),
    ),
    redirect_uri: Type.Optional(
      Type.String({
        ...line,
        default: 'http://127.0.0.1:8976/callback',
        description: 'for `authorization_code`: where a person is sent with the code',
      }),
    ),
  },
  { additionalProperties: false, description: 'tokens as MCP has them, instead of `auth`' },
);

export const McpHttpConfig = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with http:// or https://',
      description: 'the endpoint of the server',
    }),
    transport: Type.Optional(
      Type.Enum(['auto', 'streamable', 'sse'], {
        default: 'auto',
        description:
          'how it is spoken to: by streamable HTTP, by the older HTTP with SSE, or whichever it has',
      }),
    ),
    headers: Type.Optional(Headers),
    auth: Type.Optional(Auth),
    oauth: Type.Optional(OAuth),
    connections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        default: 128,
        description: 'connections at most; calls beyond them wait for one',
      }),
    ),
    tls: Type.Optional(Tls),
    ...common,
  },
  { additionalProperties: false },
);
