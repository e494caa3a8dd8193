import { isObject, type Json, own } from '../core/json.ts';
import type { Finding } from '../files/parsed.ts';
import { type Path, showPath } from '../files/path.ts';
import { type Environment, missingHint, variableOf } from './environment.ts';
import { Secret, type Secrets } from './secret.ts';
import { readSecretFile } from './secret-file.ts';

export type SecretParts = {
  readonly env: Environment;
  /** Where a file cannot be used for a moment, what was read from it before stays. */
  readonly in_force: Secrets;
  /** What texts were made of, by path. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  readonly resolve: (path: string, at: Path) => string;
  report(finding: Finding): void;
};

/** Reads what the section `secrets` names. What is not written as it should be is left to the schema. */
export async function readSecrets(section: Json | undefined, parts: SecretParts): Promise<Secrets> {
  const secrets: Record<string, Secret> = {};
  if (!isObject(section)) return secrets;
  for (const [name, written] of Object.entries(section)) {
    const secret = await readSecret(written, ['secrets', name], parts);
    if (secret !== null) secrets[name] = secret;
  }
  return secrets;
}

async function readSecret(written: Json, path: Path, parts: SecretParts): Promise<Secret | null> {
  if (typeof written === 'string') return readText(written, path, parts);
  if (!isObject(written)) return null;
  const variable = own(written, 'env');
  if (typeof variable === 'string') return readVariable(variable, [...path, 'env'], parts);
  const file = own(written, 'file');
  return typeof file === 'string' ? readFrom(file, [...path, 'file'], parts) : null;
}

/** `"${NAME}"` is as good as `{env: NAME}`; a text that stands in the file itself is not kept secret by it. */
function readText(written: string, path: Path, { variables, report }: SecretParts): Secret | null {
  const names = variables.get(showPath(path));
  if (names !== undefined && written !== '') return new Secret(written, names.join(', '));
  const message = names === undefined ? 'a secret does not stand in the configuration itself' : 'is empty';
  report({ path, part: 'value', message, hint: 'write {env: NAME} or {file: path}' });
  return null;
}

function readVariable(name: string, path: Path, { env, report }: SecretParts): Secret | null {
  const value = variableOf(env, name);
  if (value !== undefined && value !== '') return new Secret(value, `env ${name}`);
  const message = `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`;
  report({ path, part: 'value', message, hint: value === undefined ? missingHint(name, env) : null });
  return null;
}

async function readFrom(written: string, path: Path, parts: SecretParts): Promise<Secret | null> {
  const file = parts.resolve(written, path);
  const from = `file ${file}`;
  const read = await readSecretFile(file);
  if ('value' in read) return new Secret(read.value, from);
  // Whoever watches the file has told of it, and takes it as soon as it can be used.
  const before = Object.entries(parts.in_force).find(([name]) => name === path[1])?.[1];
  if (before?.from === from) return before;
  parts.report({ path, part: 'value', message: read.trouble, hint: read.hint });
  return null;
}
