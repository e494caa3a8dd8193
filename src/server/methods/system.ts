import { openRpcDocument } from '../../api/openrpc.ts';
import { RawJson } from '../../rpc/messages.ts';
import type { Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { timeText } from '../views.ts';

type Names = 'system.info' | 'rpc.discover' | 'auth.ticket';

export function systemHandlers(parts: ControlParts): Handlers<Names> {
  const { engine, router, protocols, subscriptions, tickets, clock, system } = parts;
  const started = { wall: clock.wall(), monotonic: clock.monotonic() };
  return {
    'system.info': (_, { connection }) => ({
      name: 'gleitzeit',
      version: system.version,
      started_at: timeText(started.wall),
      uptime_ms: Math.floor(clock.monotonic() - started.monotonic),
      store: system.store,
      ready: engine.trouble === null,
      protocols: protocols.list().length,
      providers: router.providers().length,
      subscriptions: subscriptions.size,
      caller: { name: connection.caller.name, role: connection.caller.role },
    }),

    'rpc.discover': () => new RawJson(openRpcText(system)),

    'auth.ticket': (_, { connection }) => {
      const { ticket, expires_at } = tickets.issue(connection.caller);
      return { ticket, expires_at: timeText(expires_at) };
    },
  };
}

/** Made when asked for: few ask, and the address is known only once the server listens. */
export function openRpcText({ version, url }: ControlParts['system']): string {
  return JSON.stringify(openRpcDocument({ version, url: `${url()}/rpc` }));
}
