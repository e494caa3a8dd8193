import { expect, it } from 'vitest';
import type { Caller } from '../../rpc/listener/route.ts';
import type { Endpoint } from '../carrier.ts';
import { dispatchTo } from './serve.ts';

it('an endpoint is told who asks, by the name of the key that was shown', async () => {
  const told: unknown[] = [];
  const endpoint: Endpoint = async (_, options) => {
    told.push(options?.caller);
    return '{}';
  };
  const { signal } = new AbortController();
  const { handle } = dispatchTo<{ readonly caller?: Caller }>({ endpoint, stopping: signal });
  const operator = (name: string) => ({ caller: { name, role: 'operator' } as const });
  for (const context of [operator('gateway'), operator('local'), operator('agentcore'), {}])
    await handle('{}', context, signal);
  expect(told).toEqual(['gateway', null, null, null]);
});
