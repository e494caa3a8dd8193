/** What a server asks for when it refuses a request for want of a token (RFC 6750, RFC 9728). */
export type Challenge = {
  readonly error: string | null;
  readonly scope: readonly string[];
  /** Where the server says who gives tokens for it. */
  readonly resource_metadata: string | null;
};

const none: Challenge = { error: null, scope: [], resource_metadata: null };

/** The part of WWW-Authenticate that is about tokens; what is not there is null. */
export function readChallenge(header: string | readonly string[] | undefined): Challenge {
  const text = (typeof header === 'string' ? header : (header ?? []).join(', ')).slice(0, 8192);
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/is.exec(text)?.[1];
  if (bearer === undefined) return none;
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain] of bearer.matchAll(
    /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g,
  ))
    if (!found.has(name.toLowerCase()))
      found.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  return {
    error: found.get('error') ?? null,
    scope: words(found.get('scope')),
    resource_metadata: found.get('resource_metadata') ?? null,
  };
}

export function words(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split(' ').filter((word) => word !== '') : [];
}
