import { dirname, resolve } from 'node:path';
import { isObject, own } from '../core/json.ts';
import { readBounded } from '../files/read.ts';
import { defaultYamlLimits, parseYaml } from '../files/yaml.ts';

/** What a configuration names as files of secrets, as it is written by now; none where that cannot be read. */
export async function namedSecretFiles(config: string): Promise<readonly string[]> {
  try {
    const content = await readBounded(config, defaultYamlLimits.size);
    const { value } = parseYaml(content, { file: config, code: 'GLZ1012' });
    const section = isObject(value) ? own(value, 'secrets') : undefined;
    if (!isObject(section)) return [];
    const files = Object.values(section).map((written) => (isObject(written) ? own(written, 'file') : null));
    // Where a variable is part of the path, the next sound configuration tells which file it is.
    const plain = files.filter((file) => typeof file === 'string' && !file.includes('$'));
    return plain.map((file) => resolve(dirname(config), String(file)));
  } catch {
    return [];
  }
}
