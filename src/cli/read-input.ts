import { resolve } from 'node:path';
import type { Json } from '../core/json.ts';
import { readBounded } from '../files/read.ts';
import { defaultYamlLimits, parseYaml } from '../files/yaml.ts';
import { inputOf } from './inputs.ts';
import { unreadable } from './missing-file.ts';
import type { Invocation } from './spec.ts';
import { standardInput } from './standard-input.ts';

type Here = Pick<Invocation, 'cwd' | 'flags'>;

/** What a file says; `-` is standard input. */
async function contentOf(named: string, here: Here): Promise<Uint8Array> {
  if (named === '-') return standardInput(here);
  const { cwd } = here;
  try {
    return await readBounded(resolve(cwd, named), defaultYamlLimits.size);
  } catch (thrown) {
    throw await unreadable(thrown, { cwd, named, field: 'file' });
  }
}

/** JSON or YAML in a file. */
export async function readDataFile(here: Here, named: string): Promise<Json> {
  const file = named === '-' ? 'standard input' : named;
  return parseYaml(await contentOf(named, here), { file, code: 'GLZ1012', refused_keys: [] }).value;
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
