import { GleitzeitError } from '../../../core/errors.ts';
import { type JsonObject, own } from '../../../core/json.ts';
import type { Challenge } from './challenge.ts';

/** Reads a document; null where there is none. */
export type Read = (url: URL) => Promise<JsonObject | null>;

/** The part of an authorization server's metadata that is used (RFC 8414). */
export type AuthorizationServer = {
  readonly issuer: string;
  readonly authorization_endpoint: URL | null;
  readonly token_endpoint: URL;
  readonly registration_endpoint: URL | null;
  readonly scopes_supported: readonly string[];
  /** Null where it does not say. */
  readonly token_endpoint_auth_methods: readonly string[] | null;
  /** Whether it takes proofs of who asked for a code. Null where it does not say. */
  readonly s256: boolean | null;
  readonly takes_metadata_documents: boolean;
  readonly names_itself: boolean;
};

export type Discovered = {
  readonly server: AuthorizationServer;
  /** Whom tokens are for. */
  readonly resource: string;
  /** What the server says of the scopes it knows. */
  readonly scopes: readonly string[];
};

/** Finds out who gives tokens for a server (RFC 9728, RFC 8414), and that it is who it says. */
export async function discoverLogin(home: URL, challenge: Challenge, read: Read): Promise<Discovered> {
  const resource = await readFirst(resourceUrls(home, challenge), read);
  if (resource === null) return withoutResource(home, read);
  const named = own(resource, 'resource');
  if (typeof named !== 'string' || !covers(named, home))
    throw refused(
      `the tokens that ${home.origin} asks for are for another server: ${JSON.stringify(named ?? null)}`,
    );
  const [issuer] = texts(own(resource, 'authorization_servers'));
  if (issuer === undefined) throw refused(`${home.origin} does not say who gives tokens for it`);
  const found = await readFirst(metadataUrls(issuer), read);
  if (found === null)
    throw refused(`nothing can be read of ${issuer}, which gives tokens for ${home.origin}`);
  // Whoever could answer there with another name could have tokens made out to himself.
  if (own(found, 'issuer') !== issuer)
    throw refused(
      `what stands at ${issuer} is about another issuer: ${JSON.stringify(own(found, 'issuer') ?? null)}`,
    );
  return {
    server: readServer(found, issuer, home),
    resource: named,
    scopes: texts(own(resource, 'scopes_supported')),
  };
}

/** Servers of 2025-03-26 give their tokens themselves, and may say nothing about it at all. */
async function withoutResource(home: URL, read: Read): Promise<Discovered> {
  const found = await readFirst(metadataUrls(home.origin), read);
  const at = (path: string) => new URL(path, home.origin).href;
  const assumed = {
    issuer: home.origin,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    registration_endpoint: at('/register'),
  };
  const server = readServer(found ?? assumed, home.origin, home);
  return { server, resource: canonical(home), scopes: [] };
}

export function resourceUrls(home: URL, { resource_metadata }: Challenge): URL[] {
  const given = resource_metadata === null ? null : URL.parse(resource_metadata, home);
  if (given !== null) return [given];
  const root = '/.well-known/oauth-protected-resource';
  const path = home.pathname.replace(/\/$/, '');
  return [...new Set([root + path, root])].map((one) => new URL(one, home.origin));
}

export function metadataUrls(issuer: string): URL[] {
  const url = URL.parse(issuer);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refused(`${issuer} is no address of an issuer of tokens`);
  const path = url.pathname.replace(/\/$/, '');
  const known = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const appended = path === '' ? [] : [`${path}/.well-known/openid-configuration`];
  return [...known.map((one) => one + path), ...appended].map((one) => new URL(one, url.origin));
}

async function readFirst(urls: readonly URL[], read: Read): Promise<JsonObject | null> {
  for (const url of urls) {
    const found = await read(url);
    if (found !== null) return found;
  }
  return null;
}

/** Behind a server that nobody can read along with, nothing is told where somebody could. */
function readServer(found: JsonObject, issuer: string, home: URL): AuthorizationServer {
  const schemes = home.protocol === 'https:' ? /^https:$/ : /^https?:$/;
  const endpoint = (key: string): URL | null => {
    const value = own(found, key);
    const url = typeof value === 'string' ? URL.parse(value) : null;
    return url !== null && schemes.test(url.protocol) ? url : null;
  };
  const token_endpoint = endpoint('token_endpoint');
  if (token_endpoint === null) throw refused(`${issuer} does not say where it gives tokens`);
  const methods = own(found, 'code_challenge_methods_supported');
  const auth = own(found, 'token_endpoint_auth_methods_supported');
  return {
    issuer,
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint,
    registration_endpoint: endpoint('registration_endpoint'),
    scopes_supported: texts(own(found, 'scopes_supported')),
    token_endpoint_auth_methods: Array.isArray(auth) ? texts(auth) : null,
    s256: Array.isArray(methods) ? methods.includes('S256') : null,
    takes_metadata_documents: own(found, 'client_id_metadata_document_supported') === true,
    names_itself: own(found, 'authorization_response_iss_parameter_supported') === true,
  };
}

/** The same origin, and a path at or above the server's own. */
function covers(resource: string, home: URL): boolean {
  const url = URL.parse(resource);
  if (url === null || url.origin !== home.origin) return false;
  const above = url.pathname.replace(/\/$/, '');
  return home.pathname === above || home.pathname.startsWith(`${above}/`) || above === '';
}

function canonical({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function refused(message: string, hint?: string): GleitzeitError {
  return new GleitzeitError('GLZ2010', message, hint === undefined ? {} : { hint });
}
