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
import { type CheckAgent, readAgents } from './agents.ts';
import { checkDispatch, strandedCalls } from './dispatch.ts';
import { Draft, shownFile } from './draft.ts';
import type { Environment } from './environment.ts';
import { fillConfig } from './fill.ts';
import { checkFunctions } from './functions.ts';
import { kafkaBrokers } from './kafka-brokers.ts';
import type { Override } from './override.ts';
import { readOverrides, unknownVariables, withOverride } from './overrides.ts';
import { noPresets, withPresets } from './presets/presets.ts';
import { noTypes, readTypeFiles } from './presets/type-files.ts';
import { type ProtocolParts, readProtocols } from './protocols.ts';
import { checkNetwork, checkServer } from './rules.ts';
import { type CheckedConfig, schema } from './schema.ts';
import type { Secrets } from './secret.ts';
import { readShared, type SharedVariables } from './shared-variables.ts';
import { sourcesOf } from './sources.ts';
import { storeFromUrl } from './store-url.ts';
import { isMissing, troubleOf } from './trouble.ts';
import type { Config } from './types.ts';
import { checkExecution } from './zone-execution.ts';
import { checkGateway } from './zone-gateway-rules.ts';

export type LoadOptions = Partial<Omit<ProtocolParts, 'checking'>> & {
  /** Without a file and a text the configuration is made of defaults and the environment. */
  readonly file?: string;
  /** Instead of what is in the file. */
  readonly text?: string;
  readonly env: Environment;
  readonly cwd: string;
  /** Whether DATABASE_URL may name the store. */
  readonly database_url?: boolean;
  /** Without it agents are not read. */
  readonly check_agent?: CheckAgent;
  /** Variables of other programs that may set something here; none unless given. */
  readonly shared_variables?: SharedVariables;
  /** Whether KAFKA_BROKERS may name the broker. */
  readonly kafka_brokers?: boolean;
  /** What a server goes on with while the file of one of them cannot be used. */
  readonly secrets_in_force?: Secrets;
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
  const shared = readShared(env, options.shared_variables ?? {});
  const kafka = kafkaBrokers(options.kafka_brokers === true ? env : {}, parsed.value);
  const own_store = store.override === null ? [] : [store.override];
  const overrides = [...own_store, ...kafka.overrides, ...shared, ...readOverrides(env)];
  const folder = file === null ? cwd : dirname(file);
  const draft = new Draft(parsed, overrides, { file: folder, working: cwd });
  const reading = { env, in_force: options.secrets_in_force ?? {} };
  const { value, secrets } = await fillConfig(overlay(parsed.value, overrides, draft), draft, reading);
  const { checked, isSound } = checkSections(value, draft);
  const own = isSound(['provider_types']) ? await readTypeFiles(checked.provider_types, draft, cwd) : noTypes;
  const presets = withPresets(own.presets, options.presets ?? noPresets);
  const parts = { library: new Map(), ...options, presets, checking: draft.checking };
  const protocols = isSound(['protocols'], 'itself') ? readProtocols(checked.protocols, parts, isSound) : [];
  const agents = isSound(['agents']) ? readAgents(checked.agents, parts) : [];
  const exposed = isSound(['server']) ? await checkServer(checked.server, draft) : [];
  if (isSound(['network'])) checkNetwork(checked.network, draft);
  if (isSound(['dispatch'])) await checkDispatch(checked.dispatch, draft);
  const forgetful = isSound(['zone']) ? checkExecution(checked, draft) : [];
  const readable = isSound(['zone']) ? await checkGateway(checked.zone, draft) : [];
  const named = (name: string) => protocols.find((one) => one.name === name)?.definition;
  const odd =
    isSound(['functions']) && isSound(['protocols'])
      ? checkFunctions(checked.functions, named, draft.checking)
      : [];
  draft.problems.throwIfAny();
  return deepFreeze({
    ...checked,
    file,
    folder,
    hash: createHash('sha256').update(content).digest('hex'),
    type_files: own.files,
    empty: parsed.value === null,
    protocols,
    agents,
    secrets,
    sources: sourcesOf({ ...checked, protocols, agents }, checked.protocols, draft),
    warnings: [
      ...store.warnings,
      ...kafka.warnings,
      ...unknownVariables(env, options.known_variables ?? []),
      ...exposed,
      ...forgetful,
      ...readable,
      ...odd,
      ...strandedCalls(checked.dispatch, protocols, agents),
    ],
  });
}

async function readConfigFile(file: string, shown: string): Promise<Uint8Array> {
  try {
    return await readBounded(file, defaultYamlLimits.size);
  } catch (thrown) {
    const message = `cannot be read: ${troubleOf(thrown)}`;
    const nowhere = { path: '', line: 0, column: 0, found: null, expected: null, excerpt: null };
    const problem = { ...nowhere, file: shown, message, hint: `looked for ${file}` };
    const code = isMissing(thrown) ? 'GLZ1010' : 'GLZ1012';
    return throwProblems([{ ...problem, severity: 'error', code }]);
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
