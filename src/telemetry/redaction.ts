import { secretForms } from '../core/secret-forms.ts';
import { MASK, maskForms } from '../core/secrets.ts';

/** Deep and long enough for what the product says of itself; what is beyond it is noise, or somebody's payload. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 64;
const MAX_TEXT = 4096;
/** Shorter ones would mask half of every line. */
const SHORTEST_SECRET = 4;

const secretKey =
  /(authorization|apikey|accesskey|privatekey|secretkey|token|password|passwd|passphrase|secret|cookie|credential)s?$/;

/** Keeps secrets out of what is written: by the name of the field they stand in, and by their values wherever they are. */
export class Redaction {
  readonly #values = new Set<string>();
  #forms: readonly string[] = [];

  /** Values that must not appear from now on, in whatever form. */
  add(values: Iterable<string>): void {
    for (const value of values) if (value.length >= SHORTEST_SECRET) this.#values.add(value);
    this.#forms = [...new Set([...this.#values].flatMap(secretForms))];
  }

  text(text: string): string {
    const clean = maskForms(text, this.#forms);
    // Cut after masking: half a secret would not be recognised.
    return clean.length <= MAX_TEXT ? clean : `${clean.slice(0, MAX_TEXT)} … (${clean.length} characters)`;
  }

  /** The value as it may be written: plain, bounded, without cycles and without secrets. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#number(value);
    if (typeof value === 'boolean' || value === null || value === undefined) return value;
    if (typeof value !== 'object') return this.text(String(value));
    if (depth >= MAX_DEPTH) return '[deeper]';
    try {
      return this.#object(value, depth);
    } catch {
      // A getter that throws, or a proxy that does not want to be looked at.
      return '[unreadable]';
    }
  }

  /** The members of an object, those whose name tells of a secret masked. */
  fields(fields: object, depth = 0): Record<string, unknown> {
    const clean: Record<string, unknown> = Object.create(null);
    for (const [key, value] of Object.entries(fields).slice(0, MAX_MEMBERS)) {
      clean[this.text(key)] = isSecret(key, value) ? MASK : this.value(value, depth + 1);
    }
    return clean;
  }

  #number(value: number): unknown {
    const shown = String(value);
    return maskForms(shown, this.#forms) === shown ? value : MASK;
  }

  #object(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Date) return value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (!Array.isArray(value)) return this.fields(value, depth);
    const items = value.slice(0, MAX_MEMBERS).map((item) => this.value(item, depth + 1));
    return value.length > MAX_MEMBERS ? [...items, `[${value.length - MAX_MEMBERS} more]`] : items;
  }

  #error(error: Error, depth: number): unknown {
    const { name, message, stack = '', cause } = error;
    const own = { ...error, name, message, stack, ...(cause === undefined ? {} : { cause }) };
    return this.fields(own, depth);
  }
}

/** `max_tokens: 100` and `has_password: true` are no secrets. */
function isSecret(key: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined) return false;
  const word = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  return secretKey.test(word) && !(typeof value === 'number' && word.endsWith('tokens'));
}
