import { Client } from 'undici';
import { type ConnectOptions, connectorFor } from './connect.ts';
import { exchange, type HttpResponse } from './exchange.ts';

export type PostRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly max_bytes: number;
};

/** Sends to one address. Redirects are not followed: that would carry what is sent to somewhere nobody configured. */
export type Post = (request: PostRequest) => Promise<HttpResponse>;

/** For requests that are rare: each has a connection of its own, and nothing is left open. */
export function postTo(url: URL, options: ConnectOptions = {}): Post {
  const path = `${url.pathname}${url.search}`;
  const peer = `${url.origin}${url.pathname}`;
  return async (request) => {
    const client = new Client(url.origin, { pipelining: 1, connect: connectorFor(options) });
    try {
      return await exchange(client, { ...request, path, peer });
    } finally {
      await client.destroy();
    }
  };
}
