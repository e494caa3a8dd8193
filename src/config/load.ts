import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { checkValue } from '../files/check.ts';
import { describeValue } from '../files/describe.ts';
import type { Finding } from '../files/parsed.ts';
import type { Path } from '../files/path.ts';
import { throwProblems } from '../files/problems.ts';
import { readBounded } from '../files/read.ts';
import { defaultYamlLimits, parseYaml } from '../files/yaml.ts';
import { Draft, shownFile } from './draft.ts';
import type { Environment } from './environment.ts';
import { fillConfig } from './fill.ts';
import { type Override, readOverrides, unknownVariables, withOverride } from './overrides.ts';
import { type ProtocolParts, readProtocols } from './protocols.ts';
import { checkServer } from './rules.ts';
import { type CheckedConfig, schema } from './schema.ts';
import { sourcesOf } from './sources.ts';
import { storeFromUrl } from './store-url.ts';
import { troubleOf } from './trouble.ts';
import type { Config } from './types.ts';

export type LoadOptions = Partial<Omit<ProtocolParts, 'checking'>> & {
  /** Without a file and a text the configuration is made of defaults and the environment. */
  readonly file?: string;
  /** Instead of what is in the file. */
  readonly text?: string;
  readonly env: Environment;
  readonly cwd: string;
  /** Whether DATABASE_URL may name the store. */
  readonly database_url?: boolean;
  /** Variables that begin with GLEITZEIT_ and belong to the command that loads. */
  readonly known_variables?: readonly string[];
};

const refusedKeys = ['constructor', 'prototype'];

/** File and environment as one value, or an error that says everything that is wrong with them. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { env, cwd } = options;
  const file = options.file === undefined ? null : resolve(cwd, options.file);
  const shown = file === null ? 'configuration' : shownFile(file, cwd);
  const content = options.text ?? (file === null ? '' : await readConfigFile(file, shown));
  const parsed = parseYaml(content, { file: shown, code: 'GLZ1012', refused_keys: refusedKeys });
  const store = storeFromUrl(env, parsed.value, options.database_url ?? false);
  const overrides = [...(store.override === null ? [] : [store.override]), ...readOverrides(env)];
  const folder = file === null ? cwd : dirname(file);
  const draft = new Draft(parsed, overrides, { file: folder, working: cwd });
  const { value, secrets } = await fillConfig(overlay(parsed.value, overrides, draft), draft, env);
  const { checked, isSound } = checkSections(value, draft);
  const parts = { library: new Map(), ...options, checking: draft.checking };
  const protocols = isSound(['protocols'], 'itself') ? readProtocols(checked.protocols, parts, isSound) : [];
  const exposed = isSound(['server']) ? await checkServer(checked.server, draft) : [];
  draft.problems.throwIfAny();
  return deepFreeze({
    ...checked,
    file,
    folder,
    hash: createHash('sha256').update(content).digest('hex'),
    empty: parsed.value === null,
    protocols,
    secrets,
    sources: sourcesOf({ ...checked, protocols }, checked.protocols, draft),
    warnings: [...store.warnings, ...unknownVariables(env, options.known_variables ?? []), ...exposed],
  });
}

async function readConfigFile(file: string, shown: string): Promise<Uint8Array> {
  try {
    return await readBounded(file, defaultYamlLimits.size);
  } catch (thrown) {
    const message = `cannot be read: ${troubleOf(thrown)}`;
    const nowhere = { path: '', line: 0, column: 0, found: null, expected: null, excerpt: null };
    const problem = { ...nowhere, file: shown, message, hint: `looked for ${file}` };
    return throwProblems([{ ...problem, severity: 'error', code: 'GLZ1012' }]);
  }
}

function overlay(value: Json, overrides: readonly Override[], draft: Draft): JsonObject {
  if (value !== null && !isObject(value)) {
    const spaceless = typeof value === 'string' && /\w:\S/.test(value);
    draft.report({
      path: [],
      part: 'value',
      message: 'must be a mapping (key: value)',
      found: describeValue(value),
      hint: spaceless ? 'a space follows the colon: "port: 8000"' : null,
    });
    return {};
  }
  return overrides.reduce<Json>(
    (sum, { path, value: put }) => withOverride(sum, path, put),
    value ?? {},
  ) as JsonObject;
}

/** Holds everything against the schema. Only what is sound is looked at any further. */
function checkSections(value: JsonObject, draft: Draft) {
  const wrong: Path[] = [];
  const report = (finding: Finding) => {
    wrong.push(finding.path);
    draft.report(finding);
  };
  const checked = checkValue(schema, value, [], { ...draft.checking, report }) as unknown as CheckedConfig;
  const isSound = (path: Path, extent: 'itself' | 'inside' = 'inside') =>
    !wrong.some(
      (found) =>
        path.every((step, index) => found[index] === step) &&
        (extent === 'inside' || found.length === path.length),
    );
  return { checked, isSound };
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
