import type { OutgoingCall } from '../../core/ports/dispatch.ts';
import type { Provider } from '../../core/ports/provider.ts';
import type { Message } from '../broker.ts';

export const NOW = Date.UTC(2026, 0, 31, 12, 0, 0, 250);

/** Turns texts around, which is enough to see whether something was sealed. */
export const mirror = {
  seal: (text: string) => [...text].reverse().join(''),
  open: (sealed: string) => [...sealed].reverse().join(''),
};

export function providerNamed(id: string, protocol = 'web-search/v1'): Provider {
  return { id, protocol, hasMethod: () => true, call: () => Promise.reject(new Error('not called')) };
}

export function outgoingCall(fields: Partial<OutgoingCall> = {}): OutgoingCall {
  const call = {
    method: 'search',
    params: { query: 'walls' },
    call_id: 'call-1',
    task_id: 'task-1',
    workflow_id: 'run-1',
    generation: 0,
    attempt: 1,
    timeout_ms: 30_000,
    expires_in_ms: null,
    signal: new AbortController().signal,
    secrets: [],
    ...fields,
  };
  const params = JSON.stringify(call.params);
  return { sealed: () => ({ params, response: null, callback: null, secrets: false }), ...call };
}

export function bytes(message: Message | string): Uint8Array {
  const value = typeof message === 'string' ? message : message.value;
  return typeof value === 'string' ? new TextEncoder().encode(value) : value;
}

/** A message as others see it, with some members changed; one that is undefined is left out. */
export function changed(message: Message, fields: Readonly<Record<string, unknown>>): Uint8Array {
  return bytes(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes(message))), ...fields }));
}
