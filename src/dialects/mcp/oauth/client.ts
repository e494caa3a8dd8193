import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { isObject, type JsonObject, own } from '../../../core/json.ts';
import { type AuthorizationServer, refused } from './discovery.ts';

/** Who we are to one authorization server. */
export type Client = {
  readonly client_id: string;
  readonly client_secret: string | null;
  /** A key that signs who we are, in PEM. */
  readonly private_key: string | null;
  /** How the token endpoint wants to be told; null for what it says it takes. */
  readonly method: string | null;
};

export type Registering = {
  readonly redirect_uri: string;
  readonly scope: readonly string[];
  readonly grant: 'authorization_code' | 'client_credentials';
};

/** What we say of ourselves where clients register by themselves (RFC 7591). */
export function registration(
  server: AuthorizationServer,
  { redirect_uri, scope, grant }: Registering,
): JsonObject {
  const methods = server.token_endpoint_auth_methods ?? ['client_secret_basic'];
  const method = ['client_secret_basic', 'client_secret_post', 'none'].find((one) => methods.includes(one));
  const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/.test(redirect_uri);
  return {
    client_name: 'gleitzeit',
    redirect_uris: [redirect_uri],
    grant_types: grant === 'client_credentials' ? [grant] : [grant, 'refresh_token'],
    response_types: ['code'],
    application_type: loopback ? 'native' : 'web',
    token_endpoint_auth_method: method ?? 'none',
    ...(scope.length === 0 ? {} : { scope: scope.join(' ') }),
  };
}

export function registered(answer: unknown, { issuer }: AuthorizationServer): Client {
  const [id, secret, method] = ['client_id', 'client_secret', 'token_endpoint_auth_method'].map((key) =>
    isObject(answer) ? own(answer, key) : undefined,
  );
  if (typeof id !== 'string' || id === '') throw refused(`${issuer} registered a client without an id`);
  return {
    client_id: id,
    client_secret: typeof secret === 'string' && secret !== '' ? secret : null,
    private_key: null,
    method: typeof method === 'string' ? method : null,
  };
}

/** What a request to the token endpoint says of who asks, in headers and in its body. */
export function proof(
  client: Client,
  server: AuthorizationServer,
  now_ms: number,
): { readonly headers: Readonly<Record<string, string>>; readonly fields: Readonly<Record<string, string>> } {
  const { client_id, client_secret, private_key } = client;
  if (private_key !== null)
    return {
      headers: {},
      fields: {
        client_id,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion(client_id, private_key, { audience: server.issuer, now_ms }),
      },
    };
  const method = methodOf(client, server);
  if (client_secret === null || method === 'none') return { headers: {}, fields: { client_id } };
  if (method === 'client_secret_post') return { headers: {}, fields: { client_id, client_secret } };
  const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`;
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, fields: {} };
}

function methodOf(
  { client_secret, method }: Client,
  { token_endpoint_auth_methods: known }: AuthorizationServer,
): string {
  if (method !== null) return method;
  if (client_secret === null) return 'none';
  const usable = ['client_secret_basic', 'client_secret_post', 'none'];
  return usable.find((one) => known?.includes(one) ?? true) ?? 'client_secret_basic';
}

const ASSERTED_S = 300;

/** A short statement about ourselves, signed (RFC 7523). */
function assertion(
  client_id: string,
  pem: string,
  { audience, now_ms }: { audience: string; now_ms: number },
): string {
  const key = createPrivateKey(pem);
  const iat = Math.floor(now_ms / 1000);
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: audience,
    jti: randomUUID(),
    iat,
    exp: iat + ASSERTED_S,
  };
  const { alg, hash } = algorithmOf(key);
  const signed = [{ alg, typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): {
  alg: string;
  hash: string | null;
} {
  if (asymmetricKeyType === 'ed25519') return { alg: 'EdDSA', hash: null };
  if (asymmetricKeyType === 'rsa') return { alg: 'RS256', hash: 'sha256' };
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1')
    return { alg: 'ES256', hash: 'sha256' };
  throw refused('the private key is of a kind that signs no statements here', 'use RSA, P-256 or Ed25519');
}
