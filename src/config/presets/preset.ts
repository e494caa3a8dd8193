import type { JsonObject } from '../../core/json.ts';
import type { JsonSchema } from '../../core/json-schema.ts';
import { didYouMean } from '../../core/suggest.ts';
import { checkValue } from '../../files/check.ts';
import { type Finding, problemAt } from '../../files/parsed.ts';
import { ProblemList } from '../../files/problems.ts';
import { parseYaml } from '../../files/yaml.ts';
import { namedKeys } from './fill.ts';
import { presetSchema, schemaOf, type WrittenPreset } from './schema.ts';

/** A type of provider that is another one with most of its configuration written already. */
export type Preset = {
  readonly type: string;
  readonly summary: string;
  /** The type it is made of. */
  readonly dialect: string;
  /** Empty for any. */
  readonly protocols: readonly string[];
  readonly unverified: boolean;
  /** What a provider of the type is told. */
  readonly schema: JsonSchema;
  readonly use: JsonObject;
};

/** Reads a file that describes one; throws everything that is wrong with it, with line and column. */
export function readPreset(content: Uint8Array | string, file: string): Preset {
  const parsed = parseYaml(content, { file, code: 'GLZ1012' });
  const problems = new ProblemList();
  const report = (finding: Finding) => problems.add(problemAt(parsed, finding));
  const written = checkValue(presetSchema as unknown as JsonSchema, parsed.value, [], {
    report,
  }) as unknown as WrittenPreset;
  problems.throwIfAny();
  for (const { key, path, words } of namedKeys(written.use)) {
    if (Object.hasOwn(written.config, key)) continue;
    const message = `there is no key "${key}" under config`;
    const hint = didYouMean(key, Object.keys(written.config), 'keys of config');
    report({ path: ['use', ...path], part: 'value', message, hint, words });
  }
  problems.throwIfAny();
  const { type, summary, dialect, protocols, unverified, config, use } = written;
  return { type, summary, dialect, protocols, unverified, schema: schemaOf(config), use };
}
