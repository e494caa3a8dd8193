import { Client } from 'undici';
import { type ConnectOptions, connectorFor } from './connect.ts';
import { exchange } from './exchange.ts';

/** What a page about a service's health may measure. */
const MAX_BYTES = 1024 * 1024;

/** Asks for pages at the host of a service and answers with their HTTP status. Redirects are not followed. */
export type Look = (path: string, signal: AbortSignal) => Promise<number>;

/** For questions that are rare: each has a connection of its own, and nothing is left open. */
export function lookAt(service: URL, options: ConnectOptions = {}): Look {
  const { host } = service;
  const secure = service.protocol === 'https:' || service.protocol === 'wss:';
  const origin = `${secure ? 'https' : 'http'}://${host}`;
  return async (path, signal) => {
    const client = new Client(origin, { pipelining: 1, connect: connectorFor(options) });
    try {
      const request = { method: 'GET', path, body: null, headers: {}, signal, max_bytes: MAX_BYTES };
      const { status } = await exchange(client, { ...request, peer: `${origin}${path}` });
      return status;
    } finally {
      await client.destroy();
    }
  };
}
