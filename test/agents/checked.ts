import type { CheckReport } from '../../src/check/agent.ts';
import { type AddressCheck, checkAddress } from '../../src/main/agent-check.ts';

/** Checks the agent at an address of this machine. */
export function checked(url: string, how: Partial<AddressCheck> = {}): Promise<CheckReport> {
  return checkAddress({
    ...{ url: new URL(url), protocol: 'auto', text: 'Grüße, agent', headers: {}, timeout_ms: 10_000 },
    ...{ signal: new AbortController().signal, allow: ['127.0.0.0/8'] },
    ...how,
  });
}
