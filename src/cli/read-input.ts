import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { parseYaml } from '../files/yaml.ts';
import { inputOf } from './inputs.ts';
import type { Invocation } from './spec.ts';

type Here = Pick<Invocation, 'cwd'>;

/** What a file says; `-` is standard input. */
export async function contentOf(named: string, cwd: string): Promise<string> {
  if (named === '-') return readAll(process.stdin);
  try {
    return await readFile(resolve(cwd, named), 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const missing = reason.startsWith('ENOENT');
    throw new GleitzeitError(missing ? 'GLZ1010' : 'GLZ1012', `${named} cannot be read`, {
      reason: missing ? 'there is no such file' : reason,
      hint: `looked for ${resolve(cwd, named)}`,
    });
  }
}

/** JSON or YAML in a file. */
export async function readDataFile({ cwd }: Here, named: string): Promise<Json> {
  const file = named === '-' ? 'standard input' : named;
  return parseYaml(await contentOf(named, cwd), { file, code: 'GLZ1012', refused_keys: [] }).value;
}

/** JSON or YAML given as it is, as `@file`, or as `-` for standard input. */
export async function readData(here: Here, given: string, name: string): Promise<Json> {
  if (given === '-') return readDataFile(here, given);
  if (given.startsWith('@')) return readDataFile(here, given.slice(1));
  return parseYaml(given, { file: name, code: 'GLZ1012', refused_keys: [] }).value;
}

/** What `--input` and `--input-file` say together. */
export async function readInput(call: Invocation): Promise<Json | undefined> {
  const named = call.flags.text('input-file');
  const file = named === undefined ? undefined : await readDataFile(call, named);
  return inputOf(call.flags.list('input'), file);
}
