import type { OutgoingCall } from '../ports/dispatch.ts';

/** A call on its way out, as an engine hands it to dispatch. */
export function outgoingCall(fields: Partial<OutgoingCall> = {}): OutgoingCall {
  return {
    method: 'echo',
    params: {},
    call_id: 't1',
    task_id: 't1',
    workflow_id: null,
    generation: 0,
    attempt: 1,
    timeout_ms: 30_000,
    expires_in_ms: null,
    signal: new AbortController().signal,
    secrets: [],
    sealed: () => ({ params: '{}', response: null, callback: null, secrets: false }),
    ...fields,
  };
}
