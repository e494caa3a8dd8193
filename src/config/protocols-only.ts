import type { Functions } from '../core/function-call.ts';
import { isObject, type Json, own } from '../core/json.ts';
import { checkValue } from '../files/check.ts';
import { type Finding, problemAt, typedPath } from '../files/parsed.ts';
import type { Path } from '../files/path.ts';
import type { Problem } from '../files/problems.ts';
import { readBounded } from '../files/read.ts';
import { wordsOf } from '../files/schema.ts';
import { defaultYamlLimits, parseYaml } from '../files/yaml.ts';
import type { DefinitionParts } from './definitions.ts';
import { shownFile } from './draft.ts';
import { type ProtocolConfig, readProtocols } from './protocols.ts';
import { type CheckedConfig, schema } from './schema.ts';

export type ProtocolsOnly = {
  /** As people are shown it. */
  readonly file: string;
  readonly protocols: readonly ProtocolConfig[];
  readonly functions: Functions;
  /** What is wrong with the definitions. */
  readonly problems: readonly Problem[];
};

/**
 * What a configuration says of protocols, without its secrets and the environment: enough to check a workflow by it, on
 * a machine that could not run it. `check_protocol` makes the demands on definitions that whoever runs it will make.
 */
export async function readProtocolsOnly(
  file: string,
  cwd: string,
  definitions: Partial<Pick<DefinitionParts, 'check_protocol' | 'check_key' | 'library'>> = {},
): Promise<ProtocolsOnly> {
  const shown = shownFile(file, cwd);
  const content = await readBounded(file, defaultYamlLimits.size);
  const parsed = parseYaml(content, { file: shown, code: 'GLZ1012' });
  const problems: Problem[] = [];
  const wrong: Path[] = [];
  const report = (finding: Finding) => {
    wrong.push(finding.path);
    const path = typedPath(parsed.root, finding.path);
    // What providers are told may hold ${NAME}, which means nothing here.
    if (path[2] !== 'providers') problems.push(problemAt(parsed, { ...finding, path }));
  };
  const written = isObject(parsed.value) ? own(parsed.value, 'protocols') : undefined;
  const checked = checkValue(sectionSchema('protocols'), (written as Json | undefined) ?? [], ['protocols'], {
    report,
  });
  const isSound = (path: Path) =>
    !wrong.some((found) => found[2] !== 'providers' && path.every((step, index) => found[index] === step));
  const parts = { library: new Map(), ...definitions, checking: { report } };
  const protocols = isSound(['protocols'])
    ? readProtocols(checked as unknown as CheckedConfig['protocols'], parts, isSound)
    : [];
  const mapped = isObject(parsed.value) ? own(parsed.value, 'functions') : undefined;
  const functions = checkValue(
    sectionSchema('functions'),
    (mapped as Json | undefined) ?? {},
    ['functions'],
    {
      report,
    },
  ) as unknown as Functions;
  return { file: shown, protocols, functions, problems };
}

function sectionSchema(name: 'protocols' | 'functions') {
  return isObject(schema) ? (wordsOf(schema).properties[name] as typeof schema) : schema;
}
