import { createHash, randomBytes } from 'node:crypto';
import { type AuthorizationServer, refused } from './discovery.ts';

/** Shows an address to whoever may allow something, and gives back where he was sent then. */
export type Authorize = (url: URL, signal: AbortSignal) => Promise<URL>;

export type CodeRequest = {
  readonly server: AuthorizationServer;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly resource: string;
  readonly scope: readonly string[];
};

/** One question to a person, and what its answer has to fit. */
export type Question = { readonly url: URL; readonly verifier: string; readonly state: string };

export function question({ server, client_id, redirect_uri, resource, scope }: CodeRequest): Question {
  const { authorization_endpoint, s256, issuer } = server;
  if (authorization_endpoint === null)
    throw refused(`${issuer} does not say where a person can allow anything`);
  // Without it, whoever gets hold of the code gets hold of the token.
  if (s256 === false) throw refused(`${issuer} does not take proofs (PKCE, S256) of who asked for a code`);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const url = new URL(authorization_endpoint);
  const fields = {
    response_type: 'code',
    client_id,
    redirect_uri,
    state,
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope.length === 0 ? {} : { scope: scope.join(' ') }),
  };
  for (const [key, value] of Object.entries(fields)) url.searchParams.set(key, value);
  return { url, verifier, state };
}

/** The code in the answer. Nothing it says is used before it is clear whom it comes from (RFC 9207). */
export function codeIn(
  answer: URL,
  { state }: Question,
  { issuer, names_itself }: AuthorizationServer,
): string {
  const said = answer.searchParams;
  const iss = said.get('iss');
  if (iss === null ? names_itself : iss !== issuer)
    throw refused(`the answer to the login does not come from ${issuer}`);
  if (said.get('state') !== state) throw refused('the answer to the login belongs to another question');
  const error = said.get('error');
  if (error !== null) throw refused(`${issuer} refused the login: ${error.slice(0, 200)}`);
  const code = said.get('code');
  if (code === null || code === '') throw refused(`${issuer} answered the login without a code`);
  return code;
}
