import type { Problems } from '../core/problems.ts';
import { Type } from '../type.ts';

/** A path of the file system, counted from where it is written. */
export const Path = (description: string) =>
  Type.String({ minLength: 1, 'x-path': true, 'x-secret': false, description });

/** Whom to trust, and what to show of ourselves, by the files it is in. */
export const Tls = Type.Object(
  {
    ca: Type.Optional(Path('certificates of the authority to trust instead of those of the system')),
    cert: Type.Optional(Path('our own certificate, where the service asks for one')),
    key: Type.Optional(Path('the key of our own certificate')),
    servername: Type.Optional(Type.String({ description: 'the name the certificate is for' })),
  },
  { additionalProperties: false },
);

/** A certificate is shown with its key or not at all. */
export function checkTls(
  { cert, key }: { readonly cert?: string; readonly key?: string },
  at: string,
  problems: Problems,
): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [missing, given] = cert === undefined ? ['cert', 'key'] : ['key', 'cert'];
  problems.add('GLZ1012', {
    field: `${at}/${missing}`,
    reason: 'is missing',
    hint: `${given} is of no use without it`,
  });
}
