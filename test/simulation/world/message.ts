import { type AttemptName, correlationId } from '../../../src/core/attempt-name.ts';
import type { OutgoingCall } from '../../../src/core/ports/dispatch.ts';
import type { Provider } from '../../../src/core/ports/provider.ts';
import type { CallRecord } from './call-record.ts';
import type { Params } from './planned.ts';
import type { EngineProcess } from './process.ts';

/** A call as it lies at the broker. */
export type Message = AttemptName &
  Pick<CallRecord, 'call_id' | 'params' | 'provider' | 'kept' | 'response'> & {
    readonly id: string;
    /** Who is told the news. */
    readonly engine: EngineProcess;
    readonly protocol: string;
    readonly method: string;
    readonly secrets: boolean;
    readonly timeout_ms: number;
    /** By the time of the world. */
    readonly expires: number;
    readonly token: string | null;
    deliveries: number;
  };

/** Only what may be read by others leaves: everything is taken from there. */
export function messageOf(
  engine: EngineProcess,
  provider: Provider,
  call: OutgoingCall,
  expires: number,
): Message {
  const { task_id, generation, attempt, call_id, method, timeout_ms, kept } = call;
  const { params, response, callback, secrets } = call.sealed();
  return {
    ...{ task_id, generation, attempt, call_id, method, timeout_ms, kept, secrets, engine, expires },
    id: correlationId({ task_id, generation, attempt }),
    provider: provider.id,
    protocol: provider.protocol,
    params: opened(params) as Params,
    response: response === null ? undefined : opened(response),
    token: callback === null ? null : (opened(JSON.stringify(callback.token)) as string),
    deliveries: 0,
  };
}

/** Sealing changes nothing here but the form. */
function opened(text: string) {
  return JSON.parse(text, (_, value) =>
    typeof value === 'object' && value !== null && '$sealed' in value
      ? JSON.parse(String(value.$sealed))
      : value,
  );
}
