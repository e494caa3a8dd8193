import type { Json, JsonObject } from '../core/json.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { OutgoingCall, SealedCall } from '../core/ports/dispatch.ts';
import { SEALED, sealSecrets } from '../core/secrets.ts';
import type { AttemptStart } from '../core/writes.ts';
import type { Held } from './held.ts';
import { type CallbackUrl, callbackToken, callId, keeper, type Left } from './outside.ts';
import type { PrepareParts } from './prepare.ts';
import type { CallReports } from './reporter.ts';
import type { Writer } from './writer.ts';

export type OutgoingParts = PrepareParts & {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly callbackUrl?: CallbackUrl | undefined;
};

/** What a call is made of. */
export type CallContent = {
  readonly params: JsonObject;
  readonly left: Left;
  /** What is in the clear in params and in what came from outside. */
  readonly secrets: readonly string[];
  readonly traceparent: string | null;
};

/** How a call that is made here is heard of; left out for one that is made elsewhere. */
export type Hearing = { readonly reports: CallReports; readonly start: () => AttemptStart };

/** A call as dispatch gets it. Most of what can be asked of it is made only if somebody does. */
export function outgoing(
  parts: OutgoingParts,
  held: Held,
  content: CallContent,
  hearing: Hearing | null,
): OutgoingCall {
  return new AttemptCall({ parts, held, content, hearing });
}

type Source = {
  readonly parts: OutgoingParts;
  readonly held: Held;
  readonly content: CallContent;
  readonly hearing: Hearing | null;
};

/**
 * Its getters belong to the class: those of an object literal are made anew for each object, in memory that only a collection of
 * everything frees, and hold on to the whole attempt until then.
 */
class AttemptCall implements OutgoingCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly call_id: string;
  readonly task_id: string;
  readonly workflow_id: string | null;
  readonly generation: number;
  readonly attempt: number;
  readonly timeout_ms: number;
  readonly traceparent: string | undefined;
  readonly kept: Json | undefined;
  readonly response: Json | undefined;
  /** Not `#source`: calls that are derived from this one have to reach it. Whoever prints the call does not see it. */
  declare private readonly source: Source;

  constructor(source: Source) {
    const { task, body } = source.held.claimed;
    const { params, left, traceparent } = source.content;
    Object.defineProperty(this, 'source', { value: source });
    this.method = body.spec.method;
    this.params = params;
    this.call_id = callId(task);
    this.task_id = task.task_id;
    this.workflow_id = task.workflow_id;
    this.generation = task.generation;
    this.attempt = task.attempt_count + 1;
    this.timeout_ms = body.spec.timeout * 1000;
    // Where nobody traces here, the caller's trace goes on as it came.
    this.traceparent = traceparent ?? body.spec.traceparent;
    this.kept = left.kept;
    this.response = left.response;
  }

  get expires_in_ms(): number | null {
    return timeInAll(this.source.parts.clock, this.source.held);
  }

  get secrets(): readonly string[] {
    return this.source.content.secrets;
  }

  get signal(): AbortSignal {
    return this.source.held.end.signal;
  }

  get report(): OutgoingCall['report'] {
    return this.source.hearing?.reports.report;
  }

  get keep(): OutgoingCall['keep'] {
    const { parts, held, content, hearing } = this.source;
    if (hearing === null) return undefined;
    const { writer, cipher } = parts;
    return keeper(held, { writer, cipher, secrets: content.secrets, start: hearing.start });
  }

  get callback(): OutgoingCall['callback'] {
    return callbackOf(this.source.parts, this.source.held) ?? undefined;
  }

  sealed(): SealedCall {
    const { parts, held, content } = this.source;
    return sealed(parts, held, content);
  }
}

/** Null for as long as it takes. */
function timeInAll(clock: Clock, { left_ms, claimedAt }: Held): number | null {
  if (left_ms === Number.POSITIVE_INFINITY) return null;
  return Math.max(0, Math.round(left_ms - (clock.monotonic() - claimedAt)));
}

function callbackOf({ callbackUrl, cipher }: OutgoingParts, { claimed: { task } }: Held) {
  const url = callbackUrl?.(task.task_id) ?? null;
  return url === null ? null : { url, token: callbackToken(cipher, task) };
}

function sealed(parts: OutgoingParts, held: Held, content: CallContent): SealedCall {
  const { task } = held.claimed;
  const response = task.attempts.at(-1)?.outside?.response;
  return {
    params: sealedParams(parts, held, content),
    // As it is stored: what grants access is sealed there.
    response: response?.text ?? null,
    callback: sealedCallback(parts, held),
    secrets: content.secrets.length > 0,
  };
}

function sealedParams(parts: OutgoingParts, { claimed }: Held, { params, secrets }: CallContent): string {
  const { protocol, method } = claimed.body.spec;
  const stored = claimed.payloads?.params;
  // Without references it is sent as it was stored, and there it is sealed already.
  if (stored !== undefined && !stored.includes('${')) return stored;
  const { params: pointers } = parts.schemas.secrets(protocol, method);
  if (pointers.length === 0 && secrets.length === 0) return JSON.stringify(params);
  const seal = (secret: Json) => ({ [SEALED]: parts.cipher.seal(JSON.stringify(secret)) });
  return JSON.stringify(sealSecrets(params, { pointers, secrets }, seal));
}

/** A server without a key for secrets cannot hand out tokens that it would know again: then nobody is asked to call back. */
function sealedCallback(parts: OutgoingParts, held: Held): SealedCall['callback'] {
  try {
    const callback = callbackOf(parts, held);
    if (callback === null) return null;
    const token = { [SEALED]: parts.cipher.seal(JSON.stringify(callback.token)) };
    return { url: callback.url, token };
  } catch {
    return null;
  }
}
