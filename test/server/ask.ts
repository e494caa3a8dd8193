import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';

export type AskOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The authority to trust over TLS, and who we say we are. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /** Where the answer does not end by itself: so much of it is enough. */
  readonly until?: RegExp;
};

export type Asked = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** One request on a connection of its own, with headers that `fetch` would not send. */
export async function ask(url: string, options: AskOptions = {}): Promise<Asked> {
  const { method, headers, body, tls, until } = options;
  const open = url.startsWith('https:') ? secure : plain;
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  const request = open(url, { method: verb, headers: { ...headers }, agent: false, ...tls });
  // The answer may come while the body is still on its way, and the connection end before all of it was sent.
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.on('error', () => {});
  request.end(body);
  const [response] = await answered;
  const text = await textOf(response, until);
  request.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

async function textOf(response: IncomingMessage, until: RegExp | undefined): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (until?.test(text) === true) break;
  }
  return text;
}

export const JSON_HEADERS = { 'content-type': 'application/json' };

export function requestText(method: string, params: unknown = {}, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
