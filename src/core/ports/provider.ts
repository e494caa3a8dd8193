import type { Answer } from '../answer.ts';
import type { JsonObject } from '../json.ts';

/** One call of one attempt. */
export type ProviderCall = {
  readonly method: string;
  readonly params: JsonObject;
  /** Stays the same over automatic retries, so that a service can recognise a repeat. */
  readonly call_id: string;
  readonly task_id: string;
  readonly workflow_id: string | null;
  readonly attempt: number;
  /** W3C trace context of this attempt, for services that can be told one. */
  readonly traceparent?: string | undefined;
  /** Caller, deadline and shutdown in one. */
  readonly signal: AbortSignal;
};

/** One endpoint that implements a protocol. */
export interface Provider {
  readonly id: string;
  readonly protocol: string;
  hasMethod(method: string): boolean;
  /** Never rejects for what the service did: that is an answer. */
  call(call: ProviderCall): Promise<Answer>;
  /** A call is going to come soon: what it would have to wait for can begin. */
  warm?(): void;
  close?(): Promise<void>;
}
