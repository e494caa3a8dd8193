import { loadServerConfig } from '../../main/load.ts';
import { startServer } from '../../main/server.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

/** The server, until it is stopped. */
export async function serve({ flags, env, cwd }: Invocation): Promise<void> {
  const file = flags.text('config') ?? null;
  const load = () => loadServerConfig({ file, env, cwd, database_url: true });
  await untilStopped(async () => startServer({ config: await load(), load, environment: env }));
}
