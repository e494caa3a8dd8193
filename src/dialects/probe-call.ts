import type { ProviderCall } from '../core/ports/provider.ts';

/** Questions of ours, made as calls are made where a dialect has a method that gives a service no work. */
export function probeCalls(provider: string): (method: string, signal: AbortSignal) => ProviderCall {
  let asked = 0;
  return (method, signal) => {
    const call_id = `probe-${provider}-${++asked}`;
    return { method, params: {}, call_id, task_id: call_id, workflow_id: null, attempt: 1, signal };
  };
}
