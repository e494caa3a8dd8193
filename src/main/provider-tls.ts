import { statSync } from 'node:fs';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ChannelFactories } from '../dialects/registry.ts';
import type { HttpTls } from '../rpc/http/connect.ts';
import { checkPair, isPem, readPem } from './pem.ts';

export type TlsFiles = NonNullable<Parameters<ChannelFactories['http']>[0]['tls']>;

/**
 * What a provider's `tls` names, for every new connection. Throws where a file is not what it should be; one that was renewed
 * since is read again, and if it is not sound, the one before stays in force.
 */
export function providerTls(files: TlsFiles, logger: Logger): () => HttpTls {
  let seen = tracesOf(files);
  let current = readTls(files);
  return () => {
    const traces = tracesOf(files);
    if (traces === seen) return current;
    seen = traces;
    try {
      current = readTls(files);
      logger.info('the certificates for a provider were renewed', { files: pathsOf(files) });
    } catch (thrown) {
      const { code, message } = GleitzeitError.from(thrown);
      const fields = { error_code: code, reason: message };
      logger.error('changed certificates for a provider are not taken; those before stay in force', fields);
    }
    return current;
  };
}

export function readTls({ ca, cert, key, servername }: TlsFiles): HttpTls {
  const pair = {
    ...(cert === undefined ? {} : { cert: readPem(cert, 'tls.cert', 'cert') }),
    ...(key === undefined ? {} : { key: readPem(key, 'tls.key', 'key') }),
  };
  if (pair.cert !== undefined && pair.key !== undefined && key !== undefined)
    checkPair({ cert: pair.cert, key: pair.key }, key, 'tls.key');
  return {
    ...(ca === undefined ? {} : { ca: readPem(ca, 'tls.ca', 'ca') }),
    ...pair,
    ...(servername === undefined ? {} : { servername }),
  };
}

function pathsOf({ ca, cert, key }: TlsFiles): string[] {
  return [ca, cert, key].filter((path) => path !== undefined && !isPem(path)).map(String);
}

/** What tells that a file was replaced, without reading it. */
function tracesOf(files: TlsFiles): string {
  const traces = pathsOf(files).map((path) => {
    const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return [ino, size, mtimeMs].join(' ');
  });
  return traces.join('\n');
}
