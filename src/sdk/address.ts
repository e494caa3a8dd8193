export type Address = {
  /** Where calls are posted to. It has no secrets in it, and is what errors show. */
  readonly http: string;
  readonly socket: string;
};

/** `http://host:8000`, with the path of a proxy where there is one; in a browser also relative to the page. */
export function addressOf(given: string): Address {
  const url = URL.parse(given, pageUrl());
  if (url === null || !/^(https?|wss?):$/.test(url.protocol))
    throw new TypeError('url must be the address of a server, such as http://127.0.0.1:8000');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('url must not carry a name or a password; a key is given as `key`');
  url.search = '';
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/rpc$/, '')}/rpc`;
  const rest = url.href.slice(url.protocol.length);
  const secure = url.protocol === 'https:' || url.protocol === 'wss:' ? 's' : '';
  return { http: `http${secure}:${rest}`, socket: `ws${secure}:${rest}` };
}

function pageUrl(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly href?: unknown } };
  return typeof location?.href === 'string' ? location.href : undefined;
}
