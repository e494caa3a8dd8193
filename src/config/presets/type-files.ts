import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { isObject, type Json, own } from '../../core/json.ts';
import { problemsOf } from '../../files/problems.ts';
import { readBounded } from '../../files/read.ts';
import { defaultYamlLimits, parseYaml } from '../../files/yaml.ts';
import { type Draft, shownFile } from '../draft.ts';
import { troubleOf } from '../trouble.ts';
import { filesFitting, hashOfNames, isPattern } from './fitting.ts';
import { type Preset, readPreset } from './preset.ts';

export type TypeFiles = {
  readonly presets: readonly Preset[];
  readonly files: readonly { readonly file: string; readonly hash: string }[];
};

export const noTypes: TypeFiles = { presets: [], files: [] };

/** The types that a configuration brings along. What is wrong with a file is told with its place in it. */
export async function readTypeFiles(named: readonly string[], draft: Draft, cwd: string): Promise<TypeFiles> {
  const presets: Preset[] = [];
  const files: TypeFiles['files'][number][] = [];
  for (const [index, written] of named.entries()) {
    const place = { path: ['provider_types', index], draft, cwd };
    for (const file of await filesOf(written, files, place)) {
      const content = await contentOf(file, place);
      if (content === null || files.some((earlier) => earlier.file === file)) continue;
      files.push({ file, hash: createHash('sha256').update(content).digest('hex') });
      const preset = presetIn(content, file, place);
      if (preset === null) continue;
      if (presets.some(({ type }) => type === preset.type))
        draft.report({
          path: place.path,
          part: 'value',
          message: `describes the type "${preset.type}" once more`,
        });
      presets.push(preset);
    }
  }
  return { presets, files };
}

type Place = { readonly path: (string | number)[]; readonly draft: Draft; readonly cwd: string };

/** What a pattern fits; the pattern is noted too, since files may come that fit it. */
async function filesOf(
  written: string,
  noted: TypeFiles['files'][number][],
  { path, draft }: Place,
): Promise<readonly string[]> {
  if (!isPattern(written)) return [written];
  try {
    const files = await filesFitting(written);
    noted.push({ file: written, hash: hashOfNames(files) });
    return files;
  } catch (thrown) {
    const message = `cannot be read: ${troubleOf(thrown)}`;
    draft.report({ path, part: 'value', message, hint: `looked for ${written}` });
    return [];
  }
}

async function contentOf(file: string, { path, draft }: Place): Promise<Uint8Array | null> {
  return readBounded(file, defaultYamlLimits.size).catch((thrown: unknown) => {
    const message = `cannot be read: ${troubleOf(thrown)}`;
    draft.report({ path, part: 'value', message, hint: `looked for ${file}` });
    return null;
  });
}

function presetIn(content: Uint8Array, file: string, { draft, cwd }: Place): Preset | null {
  try {
    return readPreset(content, shownFile(file, cwd));
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems.length === 0) throw thrown;
    for (const problem of problems) draft.problems.add(problem);
    return null;
  }
}

/** What a configuration names as files of types, as it is written by now; none where that cannot be read. */
export async function namedTypeFiles(config: string): Promise<readonly string[]> {
  try {
    const content = await readBounded(config, defaultYamlLimits.size);
    const { value } = parseYaml(content, { file: config, code: 'GLZ1012' });
    const named = isObject(value) ? own(value, 'provider_types') : undefined;
    const files = Array.isArray(named) ? named.filter((file: Json) => typeof file === 'string') : [];
    const found = files.map(async (file: string) => {
      const path = resolve(dirname(config), file);
      return isPattern(path) ? [path, ...(await filesFitting(path).catch(() => []))] : [path];
    });
    return (await Promise.all(found)).flat();
  } catch {
    return [];
  }
}
