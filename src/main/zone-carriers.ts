import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Carrier } from '../zone/carrier.ts';
import type { AgentCoreCredentials } from '../zone/carriers/agentcore/carrier.ts';
import { providerTls } from './provider-tls.ts';

/** What the configuration says of a carrier. */
export type CarrierSettings = NonNullable<Config['zone']['gateway']>['carrier'];

export type CarrierSurroundings = {
  /** Where programs run. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** So many requests may be under way at the same time. */
  readonly connections: number;
};

type Of<Type extends CarrierSettings['type']> = Extract<CarrierSettings, { readonly type: Type }>;

/** The carrier that is named. What it needs is loaded only here; it connects with its first request. */
export async function openCarrier(
  settings: CarrierSettings,
  surroundings: CarrierSurroundings,
): Promise<Carrier> {
  if (settings.type === 'agentcore') return agentcore(settings, surroundings);
  if (settings.type === 'stdio') return stdio(settings, surroundings);
  return overNetwork(settings, surroundings);
}

async function overNetwork(
  { type, url, tls, key }: Of<'https'> | Of<'websocket'>,
  { logger, connections }: CarrierSurroundings,
): Promise<Carrier> {
  const options = {
    ...{ url, key: () => key, timers: systemTimers, random: systemRandom() },
    ...(tls === undefined ? {} : { tls: providerTls(tls, logger) }),
  };
  if (type === 'websocket')
    return (await import('../zone/carriers/websocket/carrier.ts')).websocketCarrier({ ...options, logger });
  const { httpsCarrier } = await import('../zone/carriers/https/carrier.ts');
  return httpsCarrier({ ...options, connections, clock: systemClock });
}

async function agentcore(settings: Of<'agentcore'>, { connections }: CarrierSurroundings): Promise<Carrier> {
  const { runtime_arn, region, qualifier, endpoint } = settings;
  const { agentcoreCarrier } = await import('../zone/carriers/agentcore/carrier.ts');
  const shown = credentialsOf(settings);
  return agentcoreCarrier({
    ...{
      runtime_arn,
      region,
      qualifier,
      endpoint,
      connections,
      timers: systemTimers,
      random: systemRandom(),
    },
    ...(shown === null ? {} : { credentials: async () => shown }),
  });
}

function credentialsOf(settings: Of<'agentcore'>): AgentCoreCredentials | null {
  const { access_key_id, secret_access_key, session_token } = settings;
  if (access_key_id === undefined || secret_access_key === undefined) return null;
  const lent = session_token === undefined ? {} : { sessionToken: session_token };
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, ...lent };
}

async function stdio(
  { command, args, env }: Of<'stdio'>,
  surroundings: CarrierSurroundings,
): Promise<Carrier> {
  const { folder: cwd, environment, logger } = surroundings;
  const { stdioCarrier } = await import('../zone/carriers/stdio/carrier.ts');
  return stdioCarrier({
    ...{ command: [command, ...args], env, cwd, environment, logger },
    ...{ clock: systemClock, timers: systemTimers },
  });
}
