import type { Config } from '../config.ts';
import { loadServerConfig } from '../main/load.ts';
import type { Invocation } from './spec.ts';

/** The configuration that a command stands on: the file it is told, or the nearest, with another text where one is given. DATABASE_URL is not for commands. */
export function loadSettings({ flags, env, cwd }: Invocation, text?: string): Promise<Config> {
  const file = flags.text('config') ?? null;
  return loadServerConfig({ file, env, cwd, database_url: false, ...(text === undefined ? {} : { text }) });
}

/** The same as `gleitzeit serve` reads it, where a command tells of what servers use. */
export function loadServed({ flags, env, cwd }: Invocation): Promise<Config> {
  return loadServerConfig({ file: flags.text('config') ?? null, env, cwd, database_url: true });
}
