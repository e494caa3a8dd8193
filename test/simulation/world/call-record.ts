import type { Answer } from '../../../src/core/answer.ts';
import type { Json } from '../../../src/core/json.ts';
import type { Params } from './planned.ts';
import type { EngineProcess } from './process.ts';

/** A call as the service wrote it down, outside of any engine. */
export type CallRecord = {
  readonly process: EngineProcess;
  readonly task_id: string;
  readonly call_id: string;
  readonly attempt: number;
  readonly params: Params;
  readonly provider: string;
  readonly at: number;
  /** The same by the store's clock. */
  readonly stored_at: number;
  readonly kept: Json | undefined;
  readonly response: Json | undefined;
  /** It never looks whether the engine has given up waiting. */
  blind: boolean;
  /** The engine does not wait for it any more, or the service has answered. */
  ended: boolean;
};

/** A call that reports, whoever makes it. */
export type Reporting = Pick<CallRecord, 'task_id' | 'attempt' | 'ended'>;

/** What a call does. */
export type Behaviour = {
  /** Milliseconds, or null for never. */
  readonly after: number | null;
  readonly words: Answer | Error;
  readonly heeds: 'at once' | 'late' | 'not at all';
};
