import { type Config, findConfig, loadConfig } from '../config.ts';
import { checkProvider, configSchemas } from '../dialects/registry.ts';
import { checkProtocol } from './protocols.ts';

export type LoadRequest = {
  /** Null looks for one here and in the folders above. */
  readonly file: string | null;
  /** Instead of what is in the file. */
  readonly text?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether DATABASE_URL may name the store: it may belong to another program. */
  readonly database_url: boolean;
};

/** The configuration of a server, its providers held against what their types ask for. */
export function loadServerConfig({ file, text, env, cwd, database_url }: LoadRequest): Promise<Config> {
  const found = file ?? findConfig(cwd);
  return loadConfig({
    env,
    cwd,
    database_url,
    ...(found === null ? {} : { file: found }),
    ...(text === undefined ? {} : { text }),
    provider_types: configSchemas(),
    check_protocol: checkProtocol,
    check_provider: (provider, methods) => checkProvider(provider, { methods }),
    known_variables: ['GLEITZEIT_CONFIG', 'GLEITZEIT_SECRET_KEY'],
  });
}
