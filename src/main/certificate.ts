import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ListenerTls } from '../rpc/listener/server.ts';
import { checkPair, readPem } from './pem.ts';

type Files = NonNullable<Config['server']['tls']>;
type Read = { readonly cert: Buffer; readonly key: Buffer; readonly client_ca?: Buffer };

/** What the server shows of itself, and whom it lets in by their certificates. Throws where a file is not what it should be. */
export function readCertificate({ cert, key, client_ca }: Files): Read {
  const pair = {
    cert: readPem(cert, 'server.tls.cert', 'cert'),
    key: readPem(key, 'server.tls.key', 'key'),
  };
  checkPair(pair, key, 'server.tls.key');
  if (client_ca === undefined) return pair;
  return { ...pair, client_ca: readPem(client_ca, 'server.tls.client_ca', 'ca') };
}

export type RenewalParts = {
  readonly files: Files;
  readonly logger: Logger;
  /** New connections get it; those that are open stay as they are. */
  readonly take: (tls: ListenerTls) => void;
};

/** Certificates are renewed under the same name: returns what looks whether they were, and takes them if they are sound. */
export function certificateRenewal({ files, logger, take }: RenewalParts): () => void {
  let known = textOf(readCertificate(files));
  return () => {
    try {
      const read = readCertificate(files);
      if (textOf(read) === known) return;
      take(read);
      known = textOf(read);
      logger.info('the certificate of the server was renewed', { cert: files.cert });
    } catch (thrown) {
      const { code, message } = GleitzeitError.from(thrown);
      const fields = { error_code: code, reason: message };
      logger.error('the changed certificate is not taken; the one before stays in force', fields);
    }
  };
}

function textOf(read: Read): string {
  return Object.values(read).join('\n');
}
