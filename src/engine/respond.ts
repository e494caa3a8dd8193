import { canonicalJson } from '../core/canonical.ts';
import { GleitzeitError } from '../core/errors.ts';
import { type Json, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_RESPONSE } from '../core/limits.ts';
import { noTask } from '../core/not-there.ts';
import { waitOf } from '../core/outside.ts';
import type { WaitRecord } from '../core/outside-record.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { TaskRow } from '../core/records.ts';
import { maySeal, SEALED } from '../core/secrets.ts';
import { isSettled, type TaskStatus } from '../core/task.ts';
import { callbackToken, tokenMark } from './outside.ts';
import type { Writer } from './writer.ts';

export type RespondParts = {
  readonly reads: Pick<StoreReads, 'task'>;
  readonly writer: Pick<Writer, 'write'>;
  readonly cipher: Cipher;
  readonly hash: (text: string) => string;
};

export type GivenResponse = {
  readonly response: Json;
  /** The attempt that asked; where it is left out, whichever asks now. */
  readonly attempt?: number | undefined;
  /** Where it is given it has to be the right one. */
  readonly token?: string | undefined;
};

export type Responses = {
  /** Someone answers what a task asks. */
  respond(task_id: string, answer: GivenResponse): Promise<{ status: TaskStatus }>;
  /** A service calls back, and proves itself by the token that it was given. */
  notify(task_id: string, said: Notification): Promise<Notified>;
};

/** `expectDue`: total timeouts of what comes back into the queue have to be looked after. */
export function createResponses(parts: RespondParts & { expectDue(ms: number): void }): Responses {
  const thenLook = async <Said>(said: Promise<Said>) => {
    const answer = await said;
    parts.expectDue(0);
    return answer;
  };
  return {
    respond: (task_id, answer) => thenLook(respond(parts, task_id, answer)),
    notify: (task_id, said) => thenLook(notify(parts, task_id, said)),
  };
}

/** The same answer to the same question is taken once, and is no error again. */
async function respond(
  parts: RespondParts,
  task_id: string,
  { response, attempt, token }: GivenResponse,
): Promise<{ status: TaskStatus }> {
  const found = await parts.reads.task(task_id);
  if (found === null) throw noTask(task_id);
  const { task } = found;
  const asked = attempt ?? waitOf(task)?.attempt ?? null;
  const given = stored(parts, response, waitFor(task, asked));
  const { status } = await parts.writer.write({
    ...{ kind: 'respond', task_id, attempt: asked, early: false },
    ...given,
    token: token === undefined ? null : tokenMark(parts.hash, token),
  });
  return { status };
}

export type Notification = { readonly token: string; readonly body: Json };

/** `unknown`: no such task, or not the right token. `soon`: it will be right to say it again in a moment. */
export type Notified = 'taken' | 'unknown' | 'soon';

/** A service calls back. What it proves itself by is all that is known of it. */
async function notify(
  parts: RespondParts,
  task_id: string,
  { token, body }: Notification,
): Promise<Notified> {
  const found = await parts.reads.task(task_id);
  const task = found?.task ?? null;
  const mark = tokenMark(parts.hash, token);
  // As much is done for a task that is not there, so that the time it takes tells nothing.
  const told = isTold(parts, task ?? { task_id, generation: 0 }, mark);
  const waits = task === null ? null : waitOf(task);
  const awaited = sameText(waits?.wait.token ?? '', mark);
  if (task === null || !(told || awaited)) return 'unknown';
  if (isSettled(task.status)) return 'taken';
  const given = stored(parts, keepable(body) ? body : null, waits?.wait ?? null);
  const write = { kind: 'respond', task_id, attempt: null, early: told, token: mark, ...given } as const;
  try {
    await parts.writer.write(write);
    return 'taken';
  } catch (thrown) {
    const { code } = GleitzeitError.from(thrown);
    if (code !== 'GLZ1011' && code !== 'GLZ4002') throw thrown;
    // The start of its first attempt is on its way to the store; or it went on meanwhile, and needs no word of ours.
    return task.attempts.length === 0 ? 'soon' : 'taken';
  }
}

/** What is too much is left out: that something came is what counts, and the service can be asked for the rest. */
function keepable(body: Json): boolean {
  const text = JSON.stringify(body);
  return text.length <= MAX_RESPONSE && jsonDepth(text, MAX_JSON_DEPTH) <= MAX_JSON_DEPTH && !maySeal(text);
}

/** Whether the token is the one that calls of this task hand out. */
function isTold(
  { cipher, hash }: RespondParts,
  task: Pick<TaskRow, 'task_id' | 'generation'>,
  mark: string,
): boolean {
  try {
    return sameText(tokenMark(hash, callbackToken(cipher, task)), mark);
  } catch {
    // Without a key none was handed out.
    return false;
  }
}

/** The question that is meant: by the attempt that asked it, else the newest. */
function waitFor({ attempts }: TaskRow, attempt: number | null): WaitRecord | null {
  const asked = attempts.findLast(({ attempt: number, outside }) =>
    attempt === null ? outside?.wait !== undefined : number === attempt,
  );
  return asked?.outside?.wait ?? null;
}

/** As it is stored, and what the same one is known by again. What grants access is sealed, and its mark tells nothing of it. */
function stored(
  { cipher, hash }: RespondParts,
  value: Json,
  wait: WaitRecord | null,
): { response: string; mark: string } {
  const text = JSON.stringify(value);
  if (text.length > MAX_RESPONSE)
    throw invalid('GLZ1007', `it has ${text.length} characters of JSON, and ${MAX_RESPONSE} are the most`);
  if (jsonDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw invalid('GLZ1005', `it nests deeper than ${MAX_JSON_DEPTH} levels`);
  if (maySeal(text)) throw invalid('GLZ1005', `"${SEALED}" is not allowed as a key`);
  const same = canonicalJson(value);
  if (wait?.kind !== 'auth') return { response: text, mark: hash(same) };
  return { response: JSON.stringify({ [SEALED]: cipher.seal(text) }), mark: cipher.mark(`response ${same}`) };
}

function invalid(code: 'GLZ1005' | 'GLZ1007', reason: string): GleitzeitError {
  return new GleitzeitError(code, `the response cannot be taken: ${reason}`, { field: 'response', reason });
}

/** Takes as long wherever the two differ. */
function sameText(one: string, other: string): boolean {
  let different = one.length ^ other.length;
  for (let i = 0; i < other.length; i++) different |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return different === 0;
}
