import type { Answer } from '../answer.ts';
import type { ErrorRecord } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';

/** One call of one attempt. */
export type ProviderCall = {
  readonly method: string;
  readonly params: JsonObject;
  /** Stays the same over automatic retries, so that a service can recognise a repeat. */
  readonly call_id: string;
  readonly task_id: string;
  readonly workflow_id: string | null;
  readonly attempt: number;
  /** What others know this call by, where that is not `call_id`. */
  readonly correlation_id?: string | undefined;
  /** W3C trace context of this attempt, for services that can be told one. */
  readonly traceparent?: string | undefined;
  /** Caller, deadline and shutdown in one. */
  readonly signal: AbortSignal;
  /** Tells how the call is getting on. Cheap, never throws, may be called at any rate: whoever takes it keeps it bounded. */
  readonly report?: Report | undefined;
  /** What an earlier attempt of this task kept, where that attempt did not end by itself (the engine died, stopped, or it waited for someone outside). */
  readonly kept?: Json | undefined;
  /**
   * What came from outside since then: the value given to task.respond, or the body of a notification. The same again
   * where the engine dies before the attempt has ended.
   */
  readonly response?: Json | undefined;
  /** Durable before it resolves: the next attempt gets it as `kept`. False: the task is not ours any more. */
  readonly keep?: ((kept: Json) => Promise<boolean>) | undefined;
  /**
   * What answers from outside are proved by, for services that are to call back; see OutsideWait.token. The same for all
   * attempts of a task. Only where the server has a public address.
   */
  readonly callback?: { readonly url: string; readonly token: string } | undefined;
};

export type Report = (progress: Progress, from?: ReportSource) => void;

export type ReportSource = {
  /** What whoever reports was told in confidence, to be kept out of what is told. */
  readonly secrets?: () => readonly string[];
  /** It does not go on from what was reported before: that came from another, or something between was not heard. */
  readonly anew?: boolean;
};

/** What a service tells of a call that still runs. No part of it is part of the result. */
export type Progress = {
  /** How far it has come, and of how much where that is known. */
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
  /** The next piece of its output. */
  readonly text?: string;
};

export type AbandonedCall = Pick<ProviderCall, 'task_id' | 'call_id'> & { readonly kept: Json };

/** How a service is asked whether it is well, in the words of its dialect, so that it is given no work. */
export type Probe = {
  /** What it is asked, for people: `ping`, `card`, `GET /v1`. */
  readonly asked: string;
  /** Rejects where it could not be asked. */
  ask(signal: AbortSignal): Promise<Probed>;
};

export type Probed = {
  /** Somebody is there to take calls, as far as the question can tell. */
  readonly well: boolean;
  /** Why it is not well, or what it complained of all the same. */
  readonly error: ErrorRecord | null;
};

/** One endpoint that implements a protocol. */
export interface Provider {
  readonly id: string;
  readonly protocol: string;
  /** Who makes its calls: the engine itself, or whoever takes them from a broker. Left out: the engine. */
  readonly via?: 'local' | 'bridge' | undefined;
  hasMethod(method: string): boolean;
  /** Never rejects for what the service did: that is an answer. */
  call(call: ProviderCall): Promise<Answer>;
  /** Left out where there is nothing to ask but calls of its methods. */
  readonly probe?: Probe | undefined;
  /** Asks for a page at the host of its service, by GET, and answers with the HTTP status. Only where it has an address. */
  look?(path: string, signal: AbortSignal): Promise<number>;
  /**
   * A task that kept something here was cancelled while no call of it ran: what is done for it is not wanted any more.
   * Tells the service as well as it can, and never throws.
   */
  abandon?(left: AbandonedCall): void;
  /**
   * It leaves questions unanswered while no call of it is under way. What its calls go to is begun anew, where that is ours to end and nothing
   * was heard of it for so long.
   */
  renew?(silent_ms: number): void;
  /** A call is going to come soon: what it would have to wait for can begin. */
  warm?(): void;
  close?(): Promise<void>;
}
