import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { METHOD_NOT_FOUND } from '../../rpc/messages.ts';
import { translationTrouble } from '../agent/translation-error.ts';
import { pause } from '../mcp/pause.ts';
import type { Talk } from './talk.ts';
import { TASK_NOT_FOUND, UNSUPPORTED_OPERATION } from './wire/errors.ts';
import { subscribeRequest } from './wire/requests.ts';

export type FollowParts = {
  readonly timers: Timers;
  /** Whether the agent may be asked for a stream of what happens. */
  readonly subscribe: boolean;
  readonly poll_ms: number;
};

/** A stream that brings nothing new so often in a row is not asked for again. */
const VAIN = 4;
const SUBSCRIBE_MS = 250;
/** Questions in a row that may go wrong for a reason that may pass. */
export const PATIENCE = 4;
/** So often an agent may be seen to ask what it has been answered. */
const REPEATS = 5;
const SLOWEST_MS = 30_000;
const SLOWER = 1.5;
const passing: readonly string[] = ['transport', 'server', 'timeout', 'rate_limit'];

/**
 * Stays with a task until it needs nobody to watch it any more: by its stream, which proxies like to cut and agents to end
 * early, and by asking where there is none.
 */
export async function follow(talk: Talk, parts: FollowParts, streamed: boolean): Promise<void> {
  if (parts.subscribe && (await followStream(talk, parts, streamed))) return;
  await poll(talk, parts);
}

/** Whether the end was seen. What came before a stream was opened again may be missing: the whole task is asked for. */
async function followStream(talk: Talk, { timers }: FollowParts, streamed: boolean): Promise<boolean> {
  for (let vain = streamed ? 1 : 0; vain < VAIN; ) {
    if (vain > 0) await pause(SUBSCRIBE_MS * 2 ** (vain - 1), talk.signal, timers);
    const before = talk.words;
    try {
      const request = subscribeRequest(talk.route.endpoint, talk.kept?.task_id ?? '');
      await talk.take(await talk.ask(request, { stream: true }), talk.kept?.task_id);
    } catch (thrown) {
      const error = mayPass(talk, thrown);
      if (error === null) return false;
      if (isUnreadable(error)) talk.translation.unread(error);
    }
    if (talk.verdict()?.is !== 'open') return reconciled(talk);
    // The first word of a stream is the task as it was.
    vain = talk.words > before + 1 ? 1 : vain + 1;
  }
  return false;
}

/** True: what the agent can tell of the task besides its stream is known. */
export async function reconciled(talk: Talk): Promise<boolean> {
  try {
    await talk.get();
  } catch (thrown) {
    // Some agents forget a task with its end, or have no such method: what the stream said is all there is.
    if (talk.signal.aborted) throw thrown;
  }
  return true;
}

async function poll(talk: Talk, { timers, poll_ms }: FollowParts): Promise<void> {
  let [wait, wrong] = [0, 0];
  for (let looks = 1; ; looks++) {
    if (wait > 0) await pause(wait, talk.signal, timers);
    try {
      await talk.get();
      wrong = 0;
    } catch (thrown) {
      if (GleitzeitError.from(thrown).details.remote_code === TASK_NOT_FOUND) throw forgotten(talk, thrown);
      const error = mayPass(talk, thrown);
      if (error === null || ++wrong === PATIENCE) throw thrown;
      if (isUnreadable(error)) talk.translation.unread(error);
    }
    if (looks === REPEATS) talk.believe();
    const verdict = talk.verdict();
    if (verdict !== null && verdict.is !== 'open') return;
    wait = wait === 0 ? poll_ms : Math.min(wait * SLOWER, Math.max(SLOWEST_MS, poll_ms));
  }
}

/** The trouble, where asking again may help; null where it will not. Throws where nobody wants to know any more. */
function mayPass(talk: Talk, thrown: unknown): GleitzeitError | null {
  if (talk.signal.aborted) throw thrown;
  const error = GleitzeitError.from(thrown, 'GLZ2001');
  return passing.includes(error.class) || isUnreadable(error) ? error : null;
}

/** Nothing was learned of the task. What stands between us and the agent may have answered in its place: its work goes on. */
export function isUnreadable(error: GleitzeitError): boolean {
  return error.code === 'GLZ2005' && translationTrouble(error) !== null;
}

/** The agent cannot do what was asked at all, whatever it says about why. */
export function isUnsupported(thrown: unknown): boolean {
  if (!(thrown instanceof GleitzeitError)) return false;
  const { remote_code, details } = thrown.details;
  if (remote_code === METHOD_NOT_FOUND || remote_code === UNSUPPORTED_OPERATION) return true;
  return isObject(details) && [404, 405, 501].includes(Number(own(details, 'http_status')));
}

/** An agent that began anew without its tasks: the call was lost with them, and can be made again. */
export function forgotten(talk: Talk, thrown: unknown): GleitzeitError {
  const { message, details } = GleitzeitError.from(thrown);
  const said = `the agent does not know its task ${talk.kept?.task_id} any more: ${message}`;
  return new GleitzeitError('GLZ2002', said, { ...details, hint: 'it may have been restarted' });
}
