import type { Json, JsonObject } from '../../../core/json.ts';

/**
 * What agents say to each other, whichever version of A2A carries it. Everything that arrives is read into these types,
 * tolerant of both versions at once, because agents mix them; everything that leaves is written for one version.
 */

export const wireVersions = ['0.3', '1.0'] as const;
export type WireVersion = (typeof wireVersions)[number];

/** The name the dialect has in agent entries, logs and metrics. */
export const PROTOCOL = 'jsonrpc-2.0';

export const taskStates = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'unknown',
] as const;
export type TaskState = (typeof taskStates)[number];

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject }
  | {
      readonly kind: 'file';
      /** Base64, or where it can be fetched. */
      readonly file: { readonly bytes: string } | { readonly uri: string };
      readonly name?: string;
      readonly media_type?: string;
      readonly metadata?: JsonObject;
    }
  | { readonly kind: 'data'; readonly data: Json; readonly metadata?: JsonObject };

export type Message = {
  readonly message_id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly context_id?: string;
  readonly task_id?: string;
  readonly reference_task_ids?: readonly string[];
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
};

export type Artifact = {
  readonly artifact_id: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
};

export type TaskStatus = {
  readonly state: TaskState;
  /** The state as the agent wrote it, for errors: it may be a word that nobody knows. */
  readonly said: string;
  readonly message?: Message;
  readonly timestamp?: string;
};

export type Task = {
  /** Empty where the agent did not say; such a task cannot be followed up. */
  readonly id: string;
  readonly context_id?: string;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
  readonly metadata?: JsonObject;
};

/** One word of an agent: the result of a request, an event of a stream, or the body of a push notification. */
export type Said =
  | { readonly is: 'task'; readonly task: Task }
  | { readonly is: 'message'; readonly message: Message }
  | {
      readonly is: 'status';
      readonly task_id: string;
      readonly context_id?: string;
      readonly status: TaskStatus;
      /** Only 0.3 says it; in 1.0 the stream ends instead. */
      readonly final?: boolean;
      readonly metadata?: JsonObject;
    }
  | {
      readonly is: 'artifact';
      readonly task_id: string;
      readonly context_id?: string;
      readonly artifact: Artifact;
      /** Its parts go after those that came before, instead of in their place. */
      readonly append: boolean;
      readonly last_chunk: boolean;
      readonly metadata?: JsonObject;
    };

/**
 * What was odd about an answer without making it unusable, in words that follow "the answer". Readers leave out what
 * they cannot use and say so here, since an agent's odd member must not cost its whole work.
 */
export type Oddities = string[];
