import { readFileSync } from 'node:fs';
import process from 'node:process';
import { AGENT_MASK } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';

export type PemKind = 'cert' | 'key' | 'ca';

/** Whether a text is PEM itself, and no path: agents that are registered over the API bring theirs along. */
export function isPem(text: string): boolean {
  return text.trimStart().startsWith('-----BEGIN ');
}

/** Reads a PEM file, or takes the text, and holds it against what it should be. `field`: the key of the configuration that names it. */
export function readPem(file: string, field: string, kind: PemKind): Buffer {
  const content = read(file, field);
  try {
    // Loaded where there is something to read: most processes do without.
    const { createSecureContext } = process.getBuiltinModule('node:tls');
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    // A context passes silently over an authority that is none.
    if (kind === 'ca') void new X509Certificate(content);
    else createSecureContext({ [kind]: content });
  } catch (thrown) {
    const what = kind === 'key' ? 'private key' : 'certificate';
    throw unusable(file, field, `is no ${what} in PEM that can be used (${wordsOf(thrown)})`);
  }
  return content;
}

/** Throws where a key is not that of its certificate. */
export function checkPair({ cert, key }: { cert: Buffer; key: Buffer }, file: string, field: string): void {
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  } catch (thrown) {
    throw unusable(file, field, `does not belong to the certificate (${wordsOf(thrown)})`);
  }
}

function read(file: string, field: string): Buffer {
  if (isPem(file)) return Buffer.from(file);
  try {
    return readFileSync(file);
  } catch (thrown) {
    const { message } = GleitzeitError.from(thrown);
    const hint = 'the file must be there and readable for the user the server runs as';
    throw new GleitzeitError('GLZ1012', `${field}: ${message}`, { field, hint });
  }
}

function unusable(file: string, field: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: ${isPem(file) ? 'the text' : file} ${reason}`, {
    field,
    reason,
  });
}

/** `error:0480006C:PEM routines::no start line` without its numbers. */
function wordsOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/^error:[^:]*:/, '').replaceAll('::', ': ');
}

/** Certificates that stand in an entry themselves. */
export function checkInlineTls(auth: Readonly<Record<string, unknown>>): void {
  const kinds: readonly PemKind[] = ['cert', 'key', 'ca'];
  const isGiven = (one: PemKind) => typeof auth[one] === 'string' && auth[one] !== AGENT_MASK;
  for (const kind of kinds.filter(isGiven)) {
    const text = String(auth[kind]);
    const field = `/auth_config/${kind}`;
    const hint = 'give the certificate or key itself: paths would be those of the server';
    if (!isPem(text))
      throw new GleitzeitError('GLZ1012', `${field}: is no PEM`, { field, reason: 'is no PEM', hint });
    readPem(text, field, kind);
  }
  const [cert, key] = [auth['cert'], auth['key']].map((text) => Buffer.from(String(text)));
  if (cert !== undefined && key !== undefined && isGiven('key'))
    checkPair({ cert, key }, '-----BEGIN ', '/auth_config/key');
}
