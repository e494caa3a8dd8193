import { fileURLToPath } from 'node:url';
import {
  type Config,
  dispatchVariables,
  findConfig,
  loadConfig,
  presetsIn,
  type Secrets,
  type SharedVariables,
} from '../config.ts';
import { checkProvider, configSchemas } from '../dialects/registry.ts';
import { readFileAgent } from './agent-service.ts';
import { packageFile } from './package-file.ts';
import { definitionRules } from './protocols.ts';
import { checkVia } from './via.ts';

export type LoadRequest = {
  /** Null looks for one here and in the folders above. */
  readonly file: string | null;
  /** Instead of what is in the file. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether DATABASE_URL may name the store, KAFKA_BROKERS the broker, and so on: they may belong to another program. */
  readonly database_url: boolean;
  /** Variables of other programs that count here. */
  readonly shared_variables?: SharedVariables;
  /** Those of a server that reads its configuration again: they stay while their files cannot be used. */
  readonly secrets_in_force?: Secrets | undefined;
};

const builtIn = presetsIn(fileURLToPath(packageFile('types/')));

/** The configuration of a server, its providers held against what their types ask for. */
export function loadServerConfig(request: LoadRequest): Promise<Config> {
  const { file, text, env, cwd, secrets_in_force, ...asked } = request;
  const found = file ?? findConfig(cwd);
  return loadConfig({
    env,
    cwd,
    ...asked,
    kafka_brokers: asked.database_url,
    shared_variables: { ...(asked.database_url ? dispatchVariables : {}), ...asked.shared_variables },
    ...(found === null ? {} : { file: found }),
    ...(text === undefined ? {} : { text }),
    ...(secrets_in_force === undefined ? {} : { secrets_in_force }),
    provider_types: configSchemas(),
    presets: builtIn,
    ...definitionRules(),
    check_agent: readFileAgent,
    check_provider: (provider, methods) => {
      checkVia(provider);
      checkProvider(provider, { methods });
    },
    known_variables: ['GLEITZEIT_CONFIG', 'GLEITZEIT_SECRET_KEY'],
  });
}
