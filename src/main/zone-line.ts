import type { Logger } from '../core/ports/logger.ts';
import type { ZoneLine, ZoneTarget } from '../dialects/provider-type.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { zoneCaller } from '../zone/caller.ts';
import type { Carrier } from '../zone/carrier.ts';
import { providerTls } from './provider-tls.ts';

type Target = ZoneTarget & { readonly max_bytes: number };

/** The engine tries tasks again by itself: a carrier that did so as well would make them wait unseen. */
const once = { most: 0 };

/** What carries tasks of ours to another zone, loaded with the first of them. */
export function zoneLine(target: Target, logger: Logger): ZoneLine {
  let opening: Promise<ZoneLine> | null = null;
  // Certificates that are none are found before anything is called.
  const tls = 'tls' in target && target.tls !== null ? { tls: providerTls(target.tls, logger) } : {};
  const open = () => {
    opening ??= openCarrier(target, tls, logger).then(zoneCaller);
    return opening;
  };
  return {
    ask: async (request, signal) => (await open()).ask(request, signal),
    close: async () => {
      await (await opening?.catch(() => null))?.close();
    },
  };
}

async function openCarrier(target: Target, tls: object, logger: Logger): Promise<Carrier> {
  const { max_bytes } = target;
  const parts = { clock: systemClock, timers: systemTimers, random: systemRandom(), logger, max_bytes };
  if (target.by === 'agentcore') {
    const { agentcoreCarrier } = await import('../zone/carriers/agentcore/carrier.ts');
    const { runtime_arn, region, qualifier, endpoint, credentials } = target;
    const shown =
      credentials === null
        ? undefined
        : async () => {
            const { id, secret, session } = credentials();
            const lent = session === undefined ? {} : { sessionToken: session };
            return { accessKeyId: id, secretAccessKey: secret, ...lent };
          };
    const service = { runtime_arn, region, qualifier, endpoint, credentials: shown };
    return agentcoreCarrier({ ...service, ...parts, retries: once });
  }
  const { url, key } = target;
  if (target.by === 'websocket') {
    const { websocketCarrier } = await import('../zone/carriers/websocket/carrier.ts');
    return websocketCarrier({ url, key, ...tls, ...parts });
  }
  const { httpsCarrier } = await import('../zone/carriers/https/carrier.ts');
  return httpsCarrier({ url, key, ...tls, ...parts, retries: once });
}
