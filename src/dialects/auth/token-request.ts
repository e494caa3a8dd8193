export type TokenRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same for requests that ask for the same token. Never shown. */
  readonly key: string;
  /** What it tells the endpoint in confidence, besides the secrets as they are. */
  readonly telling: readonly string[];
};

/** A request for a token by client credentials (RFC 6749, 2.3.1 and 4.4.2). */
export function tokenRequest(
  texts: Readonly<Record<string, string>>,
  style: 'header' | 'body',
): TokenRequest {
  const { client_id = '', client_secret = '', scope = '', audience = '' } = texts;
  const inBody = style === 'body' ? { client_id, client_secret } : {};
  const fields = { grant_type: 'client_credentials', scope, audience, ...inBody };
  const written = Object.entries(fields).filter(([, value]) => value !== '');
  const pair = Buffer.from(`${encoded(client_id)}:${encoded(client_secret)}`).toString('base64');
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(style === 'header' ? { authorization: `Basic ${pair}` } : {}),
    },
    body: written.map(([key, value]) => `${key}=${encoded(value)}`).join('&'),
    key: JSON.stringify([client_id, client_secret, scope, audience]),
    telling: style === 'header' ? [pair] : [],
  };
}

/** As those who look for secrets in errors expect it; a secret that is no text of Unicode is sent with the odd parts replaced. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
