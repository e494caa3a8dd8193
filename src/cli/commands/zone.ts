import { loadServerConfig } from '../../main/load.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';
import { defining } from './serve.ts';

/** Takes messages of a chat until it is stopped. */
export async function zoneGateway({ flags, env, cwd }: Invocation): Promise<void> {
  await untilStopped(async () => {
    const file = flags.text('config') ?? null;
    const config = await loadServerConfig({ file, env, cwd, database_url: false });
    const { startGateway } = await import('../../main/zone-gateway.ts');
    const { stop, logger } = await startGateway({ config, environment: env });
    const reload = async () => logger.warn('a gateway takes up a changed configuration at its next start');
    return { stop, reload };
  });
}

/** Runs tasks for whoever started this process, until they ask no more or it is stopped. */
export async function zoneExecute(call: Invocation): Promise<void> {
  const { flags, env, cwd } = call;
  await untilStopped(async () => {
    const file = flags.text('config') ?? null;
    const config = await loadServerConfig({ file, env, cwd, database_url: true });
    const { startZoneOverStdio } = await import('../../main/zone-stdio.ts');
    const zone = await startZoneOverStdio({
      ...{ config, environment: env, prepare: defining(call, config) },
      streams: { input: process.stdin, output: process.stdout },
    });
    const reload = async () =>
      zone.logger.warn('an execution zone over stdio takes up a changed configuration at its next start');
    return { stop: zone.stop, ended: zone.ended, reload };
  });
}
