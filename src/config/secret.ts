import { inspect } from 'node:util';
import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';

export const HIDDEN = '***';

const FILE = 'file ';

/** A value that shows itself to nobody who does not ask for it by name. */
export class Secret {
  readonly #value: string;
  /** `env NAME` or `file PATH`. */
  readonly from: string;

  constructor(value: string, from: string) {
    this.#value = value;
    this.from = from;
    Object.freeze(this);
  }

  /** The file it was read from, if it was one. */
  get file(): string | null {
    return this.from.startsWith(FILE) ? this.from.slice(FILE.length) : null;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return `Secret(${HIDDEN} from ${this.from})`;
  }
}

export type Secrets = Readonly<Record<string, Secret>>;

/** The value of a secret by its name, for whoever makes calls. */
export function openSecret(secrets: Secrets, name: string): string {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret !== undefined) return secret.reveal();
  throw new GleitzeitError('GLZ3010', `there is no secret "${name}" in the configuration`, {
    field: `secrets.${name}`,
    hint: didYouMean(name, Object.keys(secrets), 'known secrets'),
  });
}
