import type { Answer } from '../core/answer.ts';
import { boundError, type ErrorRecord, errorFromRpc, GleitzeitError } from '../core/errors.ts';
import { type Json, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD, MAX_WAIT_MS, TOO_LARGE } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Random } from '../core/ports/random.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { mapPointers, maySeal, redact, redactJson, SEALED } from '../core/secrets.ts';
import { isSettled } from '../core/task.ts';
import type { AnswerTo, AttemptStart } from '../core/writes.ts';
import type { Ended, Held } from './attempt.ts';
import type { Outcomes } from './outcomes.ts';
import type { Writer } from './writer.ts';

export type SettleParts = {
  readonly schemas: Schemas;
  readonly cipher: Cipher;
  readonly random: Random;
  readonly writer: Writer;
  readonly outcomes: Outcomes;
  /** A retry is due in so many milliseconds. */
  readonly expectDue: (ms: number) => void;
};

/** Writes down how an attempt ended, until it is recorded or someone else's turn, and tells whoever waits. */
export async function settle(parts: SettleParts, held: Held, ended: Ended): Promise<void> {
  const answer = checkAnswer(parts, held, ended);
  ended.span?.ended(answer, ended.start?.ago_ms ?? 0);
  const { task_id } = held.lease;
  const { recorded, answered, at } = await write(parts, held, { ...ended, answer });
  const { status, due_in_ms } = recorded;
  if (due_in_ms !== null) parts.expectDue(due_in_ms);
  // Another write of the same commit may have settled it after all, and the commit left the telling to us.
  if (status === null || !isSettled(status)) return parts.outcomes.settled(task_id);
  // Where its total timeout leaves no room for another try, a task fails for that and not for what we wrote.
  const saysOther =
    answered.word === 'again' ||
    answered.word === 'withdrawn' ||
    (status === 'failed' && held.claimed.task.expires_at !== null);
  if (!recorded.recorded || saysOther) return parts.outcomes.check(task_id);
  const result = answered.word === 'done' ? answered.result : null;
  const error = answered.word === 'failed' ? answered.error : null;
  parts.outcomes.record(task_id, { task_id, status, result, error, stored_at: result === null ? null : at });
}

type Written = {
  readonly recorded: AnswerTo<'settle'>;
  readonly answered: Answer;
  /** When, by the store's clock. */
  readonly at: number;
};

/** An outcome the store cannot hold is itself an outcome: the task fails and says so. */
async function write(parts: SettleParts, held: Held, { start, answer }: Ended): Promise<Written> {
  const chance = parts.random.next();
  const record = async (answered: Answer): Promise<Written> => {
    const write = { kind: 'settle', ...held.lease, start, answer: answered, chance } as const;
    let at = 0;
    const committed = (now: number) => {
      at = now;
    };
    const recorded = await parts.writer.write(write, { lasting: true, committed });
    return { recorded, answered, at };
  };
  try {
    return await record(answer);
  } catch (thrown) {
    const refused = GleitzeitError.from(thrown);
    if (refused.code !== 'GLZ3009') throw refused;
    return record({ word: 'failed', error: named(invalid('the store cannot hold it').toRecord(), start) });
  }
}

/** What may be recorded: a result within its bounds and its schema, secrets sealed or masked. */
function checkAnswer(parts: SettleParts, held: Held, { answer, start, secrets }: Ended): Answer {
  const failed = (error: ErrorRecord): Answer => ({
    word: 'failed',
    error: named(cleanError(error, secrets), start),
  });
  try {
    if (answer.word === 'failed') return failed(answer.error);
    if (answer.word === 'again') return checkAgain(answer, secrets);
    if (answer.word === 'withdrawn') return answer;
    return { word: 'done', result: checkResult(parts, held, answer.result) };
  } catch (thrown) {
    return failed(GleitzeitError.from(thrown, 'GLZ2005').toRecord());
  }
}

/** Whose answer it was, and to which try: an error is often read far from the attempt that it ended. */
function named(error: ErrorRecord, start: AttemptStart | null): ErrorRecord {
  if (start === null || start.provider === null) return error;
  const { provider, attempt } = start;
  return { ...error, data: { ...error.data, provider, attempt } };
}

function checkAgain({ after_ms, reason }: Answer & { word: 'again' }, secrets: readonly string[]): Answer {
  if (!isWait(after_ms))
    throw invalid(`it asks to come again after ${after_ms} ms, and ${MAX_WAIT_MS} are the most`);
  return { word: 'again', after_ms, reason: redact(reason, secrets) };
}

/** A time that can be waited for. Stores could not hold, or could not read again, what is far beyond it. */
function isWait(ms: unknown): boolean {
  return typeof ms === 'number' && ms <= MAX_WAIT_MS && ms > Number.NEGATIVE_INFINITY;
}

function checkResult(parts: SettleParts, held: Held, text: string): string {
  const { protocol, method } = held.claimed.body.spec;
  if (text.length > MAX_PAYLOAD) throw invalid(`it ${TOO_LARGE}`);
  if (jsonDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw invalid(`it nests deeper than ${MAX_JSON_DEPTH} levels`);
  if (maySeal(text)) throw invalid(`"${SEALED}" is not allowed as a key`);
  const result = JSON.parse(text) as Json;
  parts.schemas.checkResult({ protocol, method, result });
  const pointers = parts.schemas.secrets(protocol, method).result;
  if (pointers.length === 0) return text;
  const sealed = mapPointers(result, pointers, (secret) => ({
    [SEALED]: parts.cipher.seal(JSON.stringify(secret)),
  }));
  return JSON.stringify(sealed);
}

function invalid(reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the result cannot be recorded: ${reason}`, {
    field: 'result',
    reason,
  });
}

/**
 * An error as decisions and readers can rely on it: with a code of ours, and without the secrets that were open. The
 * names and numbers of its own fields stay, whatever a secret looks like. Cut last: half a secret is not found.
 */
function cleanError(error: ErrorRecord, secrets: readonly string[]): ErrorRecord {
  const { code, message, data } = errorFromRpc(error).toRecord();
  const { error_code, retry_after_ms, ...details } = data;
  const shown = Object.entries(details).map(([key, value]) => [
    key,
    typeof value === 'number' ? value : redactJson(value, secrets),
  ]);
  return boundError({
    code,
    message: redact(message, secrets),
    data: {
      error_code,
      ...(isWait(retry_after_ms) ? { retry_after_ms } : {}),
      ...Object.fromEntries(shown),
    },
  });
}
