import { loadServerConfig } from '../../main/load.ts';
import { startGateway } from '../../main/zone-gateway.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

/** Takes messages of a chat until it is stopped. */
export async function zoneGateway({ flags, env, cwd }: Invocation): Promise<void> {
  await untilStopped(async () => {
    const file = flags.text('config') ?? null;
    const config = await loadServerConfig({ file, env, cwd, database_url: false });
    const { stop, logger } = await startGateway({ config, environment: env });
    const reload = async () => logger.warn('a gateway takes up a changed configuration at its next start');
    return { stop, reload };
  });
}
