import type { ConnectionOptions } from 'node:tls';
import { buildConnector } from 'undici';

export type HttpTls = {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
};

export type ConnectOptions = {
  readonly connect_timeout_ms?: number;
  /** Asked for with every connection where it may change; the same value for as long as it has not. */
  readonly tls?: HttpTls | (() => HttpTls);
  readonly lookup?: ConnectionOptions['lookup'];
};

/** Makes connections, each with the certificates that are in force when it is made. */
export function connectorFor(options: ConnectOptions): buildConnector.connector {
  const { tls } = options;
  if (typeof tls !== 'function') return fixed(options, tls);
  let known: HttpTls | null = null;
  let connect: buildConnector.connector | null = null;
  return (target, callback) => {
    try {
      const current = tls();
      // A session that was begun with the certificate before must not be taken up with the new one.
      if (connect === null || current !== known) connect = fixed(options, current);
      known = current;
    } catch (thrown) {
      callback(thrown instanceof Error ? thrown : new Error(String(thrown)), null);
      return;
    }
    connect(target, callback);
  };
}

function fixed({ connect_timeout_ms, lookup }: ConnectOptions, tls?: HttpTls): buildConnector.connector {
  return buildConnector({
    allowH2: false,
    timeout: connect_timeout_ms ?? 10_000,
    ...(lookup === undefined ? {} : { lookup }),
    ...(tls === undefined ? {} : { minVersion: 'TLSv1.2', ...tls }),
  });
}
