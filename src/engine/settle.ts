import type { Answer, OutsideWait } from '../core/answer.ts';
import {
  boundError,
  type ErrorDetails,
  type ErrorRecord,
  errorFromRpc,
  GleitzeitError,
} from '../core/errors.ts';
import { type Json, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD, MAX_WAIT_MS, TOO_LARGE } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Random } from '../core/ports/random.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { mapPointers, maySeal, redact, redactJson, redactResult, SEALED } from '../core/secrets.ts';
import { isSettled } from '../core/task.ts';
import type { AnswerTo, AttemptStart } from '../core/writes.ts';
import type { Ended, Held } from './held.ts';
import type { Outcomes } from './outcomes.ts';
import { checkWait } from './outside.ts';
import type { Writer } from './writer.ts';

export type SettleParts = {
  readonly schemas: Schemas;
  readonly cipher: Cipher;
  readonly random: Random;
  readonly writer: Writer;
  readonly outcomes: Outcomes;
  readonly hash: (text: string) => string;
  /** A retry is due in so many milliseconds. */
  readonly expectDue: (ms: number) => void;
};

/** Writes down how an attempt ended, until it is recorded or someone else's turn, and tells whoever waits. */
export async function settle(parts: SettleParts, held: Held, ended: Ended): Promise<void> {
  const { protocol, method } = held.claimed.body.spec;
  const answer = checkAnswer(parts, { ...ended, protocol, method }, ended.answer);
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

function write(parts: SettleParts, held: Held, { start, answer }: Ended): Promise<Written> {
  const chance = parts.random.next();
  return writeAnswer(answer, start, (answered, committed) => {
    const write = { kind: 'settle', ...held.lease, start, answer: answered, chance } as const;
    return parts.writer.write(write, { lasting: true, committed });
  });
}

type Written = {
  readonly recorded: AnswerTo<'settle'>;
  readonly answered: Answer;
  /** When, by the store's clock. */
  readonly at: number;
};

type Whose = Pick<AttemptStart, 'attempt' | 'provider'>;

/** An outcome the store cannot hold is itself an outcome: the task fails and says so. */
export async function writeAnswer(
  answer: Answer,
  start: Whose | null,
  write: (answer: Answer, committed: (now: number) => void) => Promise<AnswerTo<'settle'>>,
): Promise<Written> {
  const record = async (answered: Answer): Promise<Written> => {
    let at = 0;
    const recorded = await write(answered, (now) => {
      at = now;
    });
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

/** The call that an answer belongs to. */
export type AnsweredCall = {
  readonly protocol: string;
  readonly method: string;
  readonly start: Whose | null;
  /** What was in the clear meanwhile; null where that is not known, and nothing that was said may be shown. */
  readonly secrets: readonly string[] | null;
};

/** What may be recorded: a result within its bounds and its schema, secrets sealed or masked. */
export function checkAnswer(parts: SettleParts, call: AnsweredCall, answer: Answer): Answer {
  const { start, secrets } = call;
  const { cipher } = parts;
  const failed = (error: ErrorRecord): Answer => ({
    word: 'failed',
    error: named(cleanError(error, secrets), start),
  });
  try {
    if (answer.word === 'failed') return failed(answer.error);
    if (answer.word === 'again') return checkAgain(answer, secrets);
    if (answer.word === 'withdrawn') return answer;
    if (answer.word === 'outside')
      return {
        word: 'outside',
        wait: checkWait(parts.hash, shownWait(answer.wait, secrets), { cipher, secrets }),
      };
    return { word: 'done', result: checkResult(parts, call, answer.result) };
  } catch (thrown) {
    return failed(GleitzeitError.from(thrown, 'GLZ2005').toRecord());
  }
}

const NOT_SHOWN =
  'what was said is not shown, since the secrets of the call cannot be opened here to be kept out of it';

function shownWait(wait: OutsideWait, secrets: readonly string[] | null): OutsideWait {
  return secrets === null ? { ...wait, ask: NOT_SHOWN } : wait;
}

/** Whose answer it was, and to which try: an error is often read far from the attempt that it ended. */
function named(error: ErrorRecord, start: Whose | null): ErrorRecord {
  if (start === null || start.provider === null) return error;
  const { provider, attempt } = start;
  return { ...error, data: { ...error.data, provider, attempt } };
}

function checkAgain(
  { after_ms, reason }: Answer & { word: 'again' },
  secrets: readonly string[] | null,
): Answer {
  if (!isWait(after_ms))
    throw invalid(`it asks to come again after ${after_ms} ms, and ${MAX_WAIT_MS} are the most`);
  return { word: 'again', after_ms, reason: secrets === null ? NOT_SHOWN : redact(reason, secrets) };
}

/** A time that can be waited for. Stores could not hold, or could not read again, what is far beyond it. */
function isWait(ms: unknown): boolean {
  return typeof ms === 'number' && ms <= MAX_WAIT_MS && ms > Number.NEGATIVE_INFINITY;
}

function checkResult(
  parts: SettleParts,
  { protocol, method, secrets }: Pick<AnsweredCall, 'protocol' | 'method' | 'secrets'>,
  text: string,
): string {
  if (text.length > MAX_PAYLOAD) throw invalid(`it ${TOO_LARGE}`);
  if (jsonDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw invalid(`it nests deeper than ${MAX_JSON_DEPTH} levels`);
  if (maySeal(text)) throw invalid(`"${SEALED}" is not allowed as a key`);
  const result = JSON.parse(text) as Json;
  parts.schemas.checkResult({ protocol, method, result });
  const pointers = parts.schemas.secrets(protocol, method).result;
  const sealed = mapPointers(result, pointers, (secret) => ({
    [SEALED]: parts.cipher.seal(JSON.stringify(secret)),
  }));
  const shown = redactResult(sealed, secrets ?? []);
  // What nobody had to change is stored in the service's own words, numbers of any size included.
  return shown === result ? text : JSON.stringify(shown);
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
function cleanError(error: ErrorRecord, secrets: readonly string[] | null): ErrorRecord {
  const { code, message, data } = errorFromRpc(error).toRecord();
  const { error_code, retry_after_ms, ...details } = data;
  const wait: ErrorDetails = isWait(retry_after_ms) && retry_after_ms !== undefined ? { retry_after_ms } : {};
  if (secrets === null) return { code, message: NOT_SHOWN, data: { error_code, ...wait } };
  const shown = Object.entries(details).map(([key, value]) => [
    key,
    typeof value === 'number' ? value : redactJson(value, secrets),
  ]);
  return boundError({
    code,
    message: redact(message, secrets),
    data: {
      error_code,
      ...wait,
      ...Object.fromEntries(shown),
    },
  });
}
