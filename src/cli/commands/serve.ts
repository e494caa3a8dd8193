import { relative } from 'node:path';
import type { Config, Secrets } from '../../config.ts';
import { loadServerConfig } from '../../main/load.ts';
import { type ServerOptions, startServer } from '../../main/server.ts';
import { clientOver } from '../../sdk/index.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

/** The server, until it is stopped. */
export async function serve(call: Invocation): Promise<void> {
  const { flags, env, cwd } = call;
  const file = flags.text('config') ?? null;
  const load = (secrets_in_force?: Secrets) =>
    loadServerConfig({ file, env, cwd, database_url: true, secrets_in_force });
  await untilStopped(async () => {
    const config = await load();
    const prepare = defining(call, config);
    return startServer({ config, load, environment: env, prepare });
  });
}

/** Workflows of the configuration are defined before anybody can ask for them. One that is wrong is told of, and stops nothing. */
export function defining(call: Invocation, { workflows }: Config): ServerOptions['prepare'] {
  if (workflows.length === 0) return undefined;
  return async (open, logger) => {
    const { Definer } = await import('../watching/define.ts');
    const { placesNamed } = await import('../watching/places.ts');
    const { readWorkflowHere } = await import('../runnable.ts');
    const client = clientOver(open, { name: 'the server' });
    const { cwd } = call;
    const definer = new Definer({
      ...{ client, cwd, places: placesNamed(workflows), colour: false },
      read: (path, lists) => readWorkflowHere(call, relative(cwd, path), lists),
      say: (text) => logger.info(text),
      write: (text) => logger.warn(text.trim()),
    });
    try {
      await definer.look();
    } finally {
      client.close();
    }
  };
}
