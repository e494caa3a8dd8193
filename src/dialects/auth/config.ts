import type { Static } from 'typebox';
import { Problems } from '../../core/problems.ts';
import { Type } from '../../type.ts';
import { checkTls, Tls } from '../tls.ts';

const NAME = '[A-Za-z_][\\w-]*';

/** Only by its name: what stands in a configuration itself is seen by everybody who sees the file. */
export const SecretText = (description: string) =>
  Type.String({
    pattern: `^\\$\\{secrets\\.${NAME}\\}$`,
    'x-expected': 'one of the secrets: ${secrets.name}',
    description,
  });

const line = { pattern: '^[^\\r\\n\\0]+$', 'x-expected': 'one line of text' };

const ApiKeyValue = Type.String({
  pattern: `^(?:[A-Za-z][\\w-]* )?\\$\\{secrets\\.${NAME}\\}$`,
  'x-expected': 'one of the secrets, ${secrets.name}, or a word and one of them: Key ${secrets.name}',
  description: 'for `api_key`: the key, `${secrets.name}`',
});

const HeaderName = Type.String({
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  'x-expected': 'the name of a header',
  description: 'for `api_key`: the header it is sent in',
});

const closed = { additionalProperties: false };

const HeaderKey = Type.Object(
  {
    type: Type.Literal('api_key', { description: 'how the service is shown who calls' }),
    header: HeaderName,
    value: ApiKeyValue,
  },
  closed,
);

const QueryKey = Type.Object(
  {
    type: Type.Literal('api_key'),
    query: Type.String({
      ...line,
      description: 'for `api_key`, instead of `header`: the word in the query of the address it is sent as',
    }),
    value: ApiKeyValue,
  },
  closed,
);

const Bearer = Type.Object(
  { type: Type.Literal('bearer'), token: SecretText('for `bearer`: the token, `${secrets.name}`') },
  closed,
);

const Basic = Type.Object(
  {
    type: Type.Literal('basic'),
    username: Type.String({
      pattern: '^[^:\\r\\n\\0]+$',
      'x-expected': 'one line of text without a colon',
      description: 'for `basic`: the name; `${secrets.name}` is filled in',
    }),
    password: SecretText('for `basic`: the password, `${secrets.name}`'),
  },
  closed,
);

export const OAuth2 = Type.Object(
  {
    type: Type.Literal('oauth2'),
    token_url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with http:// or https://',
      description: 'for `oauth2`: where access tokens are asked for, by client credentials',
    }),
    client_id: Type.String({
      ...line,
      description: 'for `oauth2`: the name of this client; `${secrets.name}` is filled in',
    }),
    client_secret: SecretText('for `oauth2`: the secret of this client, `${secrets.name}`'),
    scope: Type.Optional(
      Type.String({ ...line, description: 'for `oauth2`: what the token is to be good for' }),
    ),
    audience: Type.Optional(
      Type.String({ ...line, description: 'for `oauth2`: whom the token is for, where the endpoint asks' }),
    ),
    style: Type.Optional(
      Type.Enum(['header', 'body'], {
        default: 'header',
        description:
          'for `oauth2`: whether the endpoint takes client_id and client_secret in a header or in the body',
      }),
    ),
    tls: Type.Optional(Tls),
  },
  closed,
);

/** Shown with every request over HTTP, and with every connection over WebSocket. */
export const Auth = Type.Union([HeaderKey, QueryKey, Bearer, Basic, OAuth2]);

export type AuthConfig = Static<typeof Auth>;
export type OAuth2Config = Static<typeof OAuth2>;

/** The part of a provider's configuration that says where and how a service is reached. */
export type Reached = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: AuthConfig;
  readonly tls?: Static<typeof Tls>;
};

/** What a schema cannot say: two things that would be sent in one place, halves of pairs, addresses that are none. */
export function checkReached({ url, headers = {}, auth, tls = {} }: Reached, at: string): void {
  const problems = new Problems();
  const address = checkAddress(url, `${at}/url`, problems);
  checkTls(tls, `${at}/tls`, problems);
  if (auth !== undefined) {
    const header = headerOf(auth);
    const twice = Object.keys(headers).find((name) => name.toLowerCase() === header);
    if (twice !== undefined)
      problems.add('GLZ1012', { field: `${at}/headers/${twice}`, reason: `is what auth sends`, hint: one });
    if (header === 'authorization' && address !== null && address.username !== '')
      problems.add('GLZ1012', { field: `${at}/url`, reason: 'names a user, and so does auth', hint: one });
    if ('query' in auth && address?.searchParams.has(auth.query) === true)
      problems.add('GLZ1012', { field: `${at}/auth/query`, reason: 'stands in the url already', hint: one });
    if (auth.type === 'oauth2') checkTokenUrl(auth, `${at}/auth`, problems);
  }
  problems.throwIfAny();
}

const one = 'leave one of them out';

/** The header that is sent, in lower case; null for none. */
function headerOf(auth: AuthConfig): string | null {
  if (auth.type !== 'api_key') return 'authorization';
  return 'header' in auth ? auth.header.toLowerCase() : null;
}

function checkTokenUrl({ token_url, tls = {} }: OAuth2Config, at: string, problems: Problems): void {
  const address = checkAddress(token_url, `${at}/token_url`, problems);
  if (address !== null && address.username !== '')
    problems.add('GLZ1012', {
      field: `${at}/token_url`,
      reason: 'names a user',
      hint: 'client_id and client_secret say who asks',
    });
  checkTls(tls, `${at}/tls`, problems);
}

function checkAddress(url: string, field: string, problems: Problems): URL | null {
  const address = URL.parse(url);
  if (address === null) problems.add('GLZ1012', { field, reason: 'is no address' });
  return address;
}
