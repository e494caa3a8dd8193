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
  const { task, body } = held.claimed;
  const { params, left, traceparent } = content;
  return {
    method: body.spec.method,
    params,
    call_id: callId(task),
    task_id: task.task_id,
    workflow_id: task.workflow_id,
    generation: task.generation,
    attempt: task.attempt_count + 1,
    timeout_ms: body.spec.timeout * 1000,
    get expires_in_ms() {
      return timeInAll(parts.clock, held);
    },
    // Where nobody traces here, the caller's trace goes on as it came.
    traceparent: traceparent ?? body.spec.traceparent,
    get signal() {
      return held.end.signal;
    },
    get report() {
      return hearing?.reports.report;
    },
    kept: left.kept,
    response: left.response,
    get keep() {
      return hearing === null ? undefined : keeper(parts.writer, held, hearing.start);
    },
    get callback() {
      return callbackOf(parts, held) ?? undefined;
    },
    sealed: () => sealed(parts, held, content),
  };
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
