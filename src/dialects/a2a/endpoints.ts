import { isLoopbackName, sameHostAt } from './hosts.ts';
import type { AgentCard } from './wire/card.ts';
import type { Wire } from './wire/requests.ts';

/** One address at which an agent is spoken to, and how. */
export type Endpoint = Wire & { readonly url: URL };

const JSONRPC = 'JSONRPC';

/** Those of a card that speak JSON-RPC: the newer wire first, and otherwise as the agent has them. */
export function endpointsOf({ interfaces }: AgentCard, home: URL): Endpoint[] {
  const usable = interfaces.flatMap(({ url, binding, version, tenant }): Endpoint[] => {
    const target = binding === JSONRPC ? endpointOf(url, home) : null;
    return target === null ? [] : [{ url: target, version, tenant }];
  });
  const newer = usable.filter(({ version }) => version === '1.0');
  return [...newer, ...usable.filter(({ version }) => version !== '1.0')];
}

/**
 * Where an address of a card leads, seen from here. Agents in containers and behind proxies know themselves as localhost,
 * or without TLS: then the address they were found at is the one that works.
 */
export function endpointOf(text: string, home: URL): URL | null {
  const url = URL.parse(text, home);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  if (url.origin === home.origin) return url;
  const withoutTls = url.hostname === home.hostname && home.protocol === 'https:' && url.protocol === 'http:';
  const itself = isLoopbackName(url.hostname) && !isLoopbackName(home.hostname);
  if (!withoutTls && !itself && !sameHostAt(url, home)) return url;
  const here = new URL(home);
  here.pathname = url.pathname;
  here.search = url.search === '' ? home.search : url.search;
  return here;
}
