import type { OutsideWait } from '../core/answer.ts';
import type { Json } from '../core/json.ts';
import { MAX_ASK, MAX_WAIT_MS } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { ProviderCall } from '../core/ports/provider.ts';
import type { Router } from '../core/ports/router.ts';
import type { TaskRow } from '../core/records.ts';
import { redactJson } from '../core/secrets.ts';
import type { Abandoned, AbandonedWork, AttemptStart, Lease } from '../core/writes.ts';
import type { Away } from './away.ts';
import type { CallEnd } from './deadline.ts';
import { boundedText, invalid, type Keeping, keptFrom, storedKept } from './kept.ts';
import { open } from './prepare.ts';
import type { Writer } from './writer.ts';

type Hash = (text: string) => string;

/** What an attempt gets from the one before it, and the one provider that can make something of that. */
export type Left = Pick<ProviderCall, 'kept' | 'response'> & { readonly only: string | null };

const nothing: Left = { kept: undefined, response: undefined, only: null };

/** Puts what is in the clear from here on into `secrets`, as it does for params. */
export function leftFor({ attempts }: TaskRow, cipher: Cipher, secrets: string[]): Left {
  const outside = attempts.at(-1)?.outside;
  if (outside === undefined) return nothing;
  const { kept, response } = outside;
  return {
    kept: kept === undefined ? undefined : keptFrom(kept.text, cipher),
    response: response === undefined ? undefined : open(cipher, response.text, secrets),
    only: kept?.provider ?? null,
  };
}

/** What may be recorded of a wait: within its bounds, without secrets, and its token as a mark. */
export function checkWait(hash: Hash, wait: OutsideWait, keeping: Keeping): OutsideWait {
  const { kind, token, after_ms, late } = wait;
  if (!['input', 'auth', 'notification'].includes(kind)) throw invalid(`it waits for "${kind}"`);
  if (after_ms !== null && !(after_ms >= 0 && after_ms <= MAX_WAIT_MS))
    throw invalid(`it waits for ${after_ms} ms, and ${MAX_WAIT_MS} are the most`);
  const ask = redactJson(
    JSON.parse(boundedText(wait.ask, 'what it asks', MAX_ASK)) as Json,
    keeping.secrets ?? [],
  );
  const kept = storedKept(wait.kept, keeping);
  return {
    ...{ kind, ask, kept, after_ms },
    token: typeof token === 'string' ? tokenMark(hash, token) : null,
    late: late === 'resume' ? 'resume' : 'fail',
  };
}

/** What is stored of a token: nobody guesses one, so that its hash tells nothing of it. */
export function tokenMark(hash: Hash, token: string): string {
  return hash(`token ${token}`);
}

/** What proves that somebody was told by us where to call back to: the same for all attempts, another for each retry by a person. */
export function callbackToken(cipher: Cipher, task: Pick<TaskRow, 'task_id' | 'generation'>): string {
  return cipher.mark(`callback ${callId(task)}`);
}

/** Stays the same over automatic retries; a retry asked for by a person is a new call. */
export function callId({ task_id, generation }: Pick<TaskRow, 'task_id' | 'generation'>): string {
  return generation === 0 ? task_id : `${task_id}.${generation}`;
}

export type AbandonParts = {
  readonly router: Router;
  readonly dispatch: Dispatch;
  readonly away: Pick<Away, 'drop'>;
  readonly cipher: Cipher;
};

/** Tells those who work in vain since a task was cancelled or ran out of time, and hands on the rest of the answer. */
export function tellAbandoned(parts: AbandonParts) {
  return <Answer extends { readonly abandoned?: readonly Abandoned[] }>({ abandoned, ...answer }: Answer) => {
    for (const one of abandoned ?? []) {
      if ('kept' in one) tellProvider(parts, one);
      else {
        parts.dispatch.abandon?.(one);
        parts.away.drop(one);
      }
    }
    return answer;
  };
}

function tellProvider(
  { router, cipher }: Pick<AbandonParts, 'router' | 'cipher'>,
  { provider, kept, ...task }: AbandonedWork,
): void {
  const left = openOrNull(kept, cipher);
  if (left === null) return;
  router.abandon?.(provider, { task_id: task.task_id, call_id: callId(task), kept: left.kept });
}

/** What cannot be opened here tells nobody what to end. */
function openOrNull(text: string, cipher: Cipher): { readonly kept: Json } | null {
  try {
    return { kept: keptFrom(text, cipher) };
  } catch {
    return null;
  }
}

/** Where services can call back about a task; null where they cannot. */
export type CallbackUrl = (task_id: string) => string | null;

type Call = { readonly lease: Lease; readonly end: Pick<CallEnd, 'reason'>; readonly gone: boolean };

export type KeeperParts = Keeping & { readonly writer: Writer; readonly start: () => AttemptStart };

/** Keeps something for the next attempt, for as long as this one runs here. */
export function keeper(held: Call, { writer, start, ...keeping }: KeeperParts): ProviderCall['keep'] {
  return async (value) => {
    const kept = JSON.stringify(storedKept(value, keeping));
    // Once the call was ended the next attempt may have begun, and what is kept now would come too late for it.
    if (held.gone || held.end.reason !== null) return false;
    const write = { kind: 'keep', ...held.lease, start: start(), kept } as const;
    const { recorded } = await writer.write(write, { lasting: true });
    return recorded;
  };
}
