import type { Answer } from '../core/answer.ts';
import { type ErrorRecord, GleitzeitError } from '../core/errors.ts';
import { type Json, jsonDepth } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Random } from '../core/ports/random.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { MASK, mapPointers, maySeal, redact, SEALED } from '../core/secrets.ts';
import { isSettled } from '../core/task.ts';
import type { AnswerTo } from '../core/writes.ts';
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
  const { task_id } = held.lease;
  const verdict = await write(parts, held, { ...ended, answer });
  if (verdict.due_in_ms !== null) parts.expectDue(verdict.due_in_ms);
  if (!verdict.recorded) return parts.outcomes.check(task_id);
  if (verdict.status === null || !isSettled(verdict.status)) return;
  const result = answer.word === 'done' ? answer.result : null;
  const error = answer.word === 'failed' ? answer.error : null;
  parts.outcomes.record(task_id, { task_id, status: verdict.status, result, error });
}

/** An outcome the store cannot hold is itself an outcome: the task fails and says so. */
async function write(parts: SettleParts, held: Held, { start, answer }: Ended): Promise<AnswerTo<'settle'>> {
  const chance = parts.random.next();
  const lasting = { lasting: true };
  try {
    return await parts.writer.write({ kind: 'settle', ...held.lease, start, answer, chance }, lasting);
  } catch (thrown) {
    const refused = GleitzeitError.from(thrown);
    if (refused.code !== 'GLZ3009') throw refused;
    const failed = { word: 'failed', error: invalid('the store cannot hold it').toRecord() } as const;
    return parts.writer.write({ kind: 'settle', ...held.lease, start, answer: failed, chance }, lasting);
  }
}

/** What may be recorded: a result within its bounds and its schema, secrets sealed or masked. */
function checkAnswer(parts: SettleParts, held: Held, { answer, secrets }: Ended): Answer {
  if (answer.word === 'again') return { ...answer, reason: redact(answer.reason, secrets) };
  if (answer.word === 'failed') return { word: 'failed', error: redactError(answer.error, secrets) };
  try {
    return { word: 'done', result: checkResult(parts, held, answer.result) };
  } catch (thrown) {
    return { word: 'failed', error: redactError(GleitzeitError.from(thrown, 'GLZ2005').toRecord(), secrets) };
  }
}

function checkResult(parts: SettleParts, held: Held, text: string): string {
  const { protocol, method } = held.claimed.body.spec;
  if (text.length > MAX_PAYLOAD)
    throw invalid(`it has ${text.length} characters, at most ${MAX_PAYLOAD} are kept`);
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

function redactError(error: ErrorRecord, secrets: readonly string[]): ErrorRecord {
  if (secrets.length === 0) return error;
  try {
    return JSON.parse(redact(JSON.stringify(error), secrets.map(asInJson))) as ErrorRecord;
  } catch {
    // A secret that is itself JSON punctuation can tear the text apart; then only the code is told.
    return { code: error.code, message: MASK, data: { error_code: error.data.error_code } };
  }
}

/** A secret as it looks inside a JSON string. */
function asInJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
