import { GleitzeitError } from '../core/errors.ts';
import { child } from '../core/json-pointer.ts';
import { Remembered } from './remembered.ts';

/** The value of a secret by its name. Throws GLZ3010 for one that is not there. */
export type Secrets = (name: string) => string;

/** Texts of a configuration, some of which hold secrets that are put in at the last moment. */
export type Filled = {
  /** Nothing is put in: it is the same every time. */
  readonly constant: boolean;
  fill(): Readonly<Record<string, string>>;
  /** Secrets that were put in, to be kept out of whatever comes back. */
  values(): readonly string[];
};

/** `$${…}` stands for the characters `${…}` themselves. */
const reference = /\$?\$\{([^}]*)\}/g;
const secretName = /^secrets\.([A-Za-z_][\w-]*)$/;

/** `${secrets.name}` is filled in with every call, so that a secret changed meanwhile is the one that is sent. */
export function filled(texts: Readonly<Record<string, string>>, secrets: Secrets, at: string): Filled {
  const open = Object.entries(texts).filter(([key, text]) => holdsSecrets(text, child(at, key)));
  if (open.length === 0) return { constant: true, fill: () => texts, values: () => [] };
  const told = new Remembered();
  const fillOne = (whole: string, inner: string) => {
    if (whole.startsWith('$$')) return whole.slice(1);
    const value = secrets(nameIn(inner));
    told.add(value);
    return value;
  };
  return {
    constant: false,
    fill: () => ({
      ...texts,
      ...Object.fromEntries(open.map(([key, text]) => [key, text.replaceAll(reference, fillOne)])),
    }),
    values: () => told.values(),
  };
}

function holdsSecrets(text: string, field: string): boolean {
  const references = [...text.matchAll(reference)];
  for (const [whole, inner = ''] of references) {
    if (whole.startsWith('$$') || secretName.test(inner)) continue;
    const reason = `${whole} cannot be filled in here`;
    throw new GleitzeitError('GLZ1012', `${field}: ${reason}`, {
      field,
      reason,
      hint: 'only ${secrets.name} can',
    });
  }
  return references.length > 0;
}

function nameIn(inner: string): string {
  return secretName.exec(inner)?.[1] ?? inner;
}
