import { expect, it } from 'vitest';
import { callWith } from './call-with.ts';
import type { ProviderCall } from './ports/provider.ts';

class Asked implements ProviderCall {
  readonly method = 'm';
  readonly params = {};
  readonly call_id = 'c';
  readonly task_id = 't';
  readonly workflow_id = null;
  readonly attempt = 1;
  asked = 0;

  get signal(): AbortSignal {
    this.asked++;
    return AbortSignal.abort();
  }
}

it('is the same call but for what is given, and asks for nothing', () => {
  const call = new Asked();
  const other = callWith<ProviderCall>(call, { attempt: 2 });
  expect([other.attempt, call.attempt, other.method, call.asked]).toEqual([2, 1, 'm', 0]);
  expect(other.signal.aborted).toBe(true);
});

it('takes the place of what would be made, and of what it was given before', () => {
  const { signal } = new AbortController();
  const call = callWith(callWith<ProviderCall>(new Asked(), { signal: AbortSignal.abort() }), { signal });
  expect(call.signal).toBe(signal);
});
