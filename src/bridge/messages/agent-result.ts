import { type AttemptName, correlationId, readCorrelationId } from '../../core/attempt-name.ts';
import { errorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Cipher } from '../../core/ports/cipher.ts';
import type { ArrivedAnswer, CalledMethod } from '../../core/ports/dispatch.ts';
import { Type } from '../../type.ts';
import type { Message } from '../broker.ts';
import { readAnswer, type ToldAnswer, WrittenAnswer, writeAnswer } from './answer.ts';
import { checkerOf, parseMessage, unreadable } from './read.ts';
import {
  Anything,
  attemptMembers,
  attemptName,
  Milliseconds,
  Name,
  OptionalText,
  writtenName,
} from './shapes.ts';
import { readTime, writeTime } from './time.ts';

/** How a call ended, for whoever asked for it. */
export type AgentResult = {
  readonly run_id: string;
  readonly task_id: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly correlation_id: string;
  readonly error_message: string | null;
  readonly at_ms: number | null;
  /** Null: it answers a task of another executor. */
  readonly arrived: ArrivedAnswer | null;
};

const Result = Type.Object({
  run_id: Name,
  task_id: Name,
  status: Type.Enum(['SUCCESS', 'FAILURE']),
  output_data: Type.Optional(Anything),
  correlation_id: Name,
  error_message: OptionalText,
  timestamp: OptionalText,
  answer: Type.Optional(Anything),
});

const Ours = Type.Object({
  ...attemptMembers,
  provider: Type.Union([Name, Type.Null()]),
  answer: WrittenAnswer,
  took_ms: Type.Optional(Milliseconds),
  called: Type.Optional(Type.Object({ protocol: Name, method: Name, secrets: Type.Boolean() })),
});

const message = 'AgentResult';
const asResult = checkerOf(message, Result);
const asOurs = checkerOf(`${message} of a bridge`, Ours);

export function readAgentResult(bytes: Uint8Array, cipher: Pick<Cipher, 'open'>): AgentResult {
  const value = parseMessage(bytes, message);
  const read = asResult(value);
  const { run_id, task_id, status, correlation_id, error_message = null, timestamp, answer } = read;
  const at_ms = typeof timestamp === 'string' ? readTime(timestamp, { message, field: '/timestamp' }) : null;
  const output_data = read.output_data ?? null;
  const name = readCorrelationId(correlation_id);
  // Others may write what looks like ours: then the task is another than the correlation id says.
  const foreign = name === null || name.task_id !== task_id;
  const told = { output_data, status, error_message };
  const arrived =
    answer === undefined ? (foreign ? null : plain(name, told)) : own(value, output_data, cipher);
  if (answer !== undefined && arrived !== null && correlationId(arrived) !== correlation_id)
    throw unreadable(message, { field: '/correlation_id', reason: 'does not fit task_id and attempt' });
  return { run_id, task_id, status, correlation_id, error_message, at_ms, arrived };
}

function own(value: Json, output_data: Json, cipher: Pick<Cipher, 'open'>): ArrivedAnswer {
  const read = asOurs(value);
  const { provider, took_ms, called } = read;
  const answer = opened(() => readAnswer(read.answer, output_data, cipher));
  return { ...attemptName(read), provider, answer, took_ms, called };
}

/** What cannot be opened will not be later: the call has failed, and says why. */
function opened(read: () => ToldAnswer): ToldAnswer {
  try {
    return read();
  } catch (thrown) {
    const error = GleitzeitError.from(thrown);
    if (error.code !== 'GLZ3010') throw error;
    return { word: 'failed', error: error.toRecord() };
  }
}

/** A bridge that is not ours answered a call of ours. */
function plain(
  name: AttemptName,
  { output_data, status, error_message }: { output_data: Json; status: string; error_message: string | null },
): ArrivedAnswer {
  if (status === 'SUCCESS')
    return { ...name, provider: null, answer: { word: 'done', result: JSON.stringify(output_data) } };
  const text = error_message ?? 'the bridge told of a failure without a message';
  return { ...name, provider: null, answer: { word: 'failed', error: errorRecord('GLZ2001', text) } };
}

/** How a call of ours ended. */
export type OwnResult = {
  readonly name: AttemptName;
  readonly run_id: string;
  readonly provider: string | null;
  readonly answer: ToldAnswer;
  readonly took_ms: number;
  readonly called: CalledMethod;
  readonly now_ms: number;
  /** Its result has secrets in it by its schema, or may repeat some of the call's: nobody else is to read it. */
  readonly secret: boolean;
};

/** Keyed by its correlation id, as existing producers do. */
export function writeOwnResult(result: OwnResult, cipher: Pick<Cipher, 'seal'>): Message {
  const { name, run_id, provider, answer, took_ms, called, now_ms, secret } = result;
  const written = writeAnswer(answer, { secret, cipher });
  const { protocol, method, secrets } = called;
  const head = JSON.stringify({
    run_id,
    ...writtenName(name),
    status: written.status,
    correlation_id: correlationId(name),
    error_message: written.error_message,
    timestamp: writeTime(now_ms),
    ...{ provider, took_ms: Math.max(0, Math.round(took_ms)), called: { protocol, method, secrets } },
  });
  const texts = `,"answer":${written.answer},"output_data":${written.output_data}}`;
  return { key: correlationId(name), value: head.slice(0, -1) + texts };
}

/** How a call of another executor ended, in the words that it knows. */
export type ForeignResult = {
  readonly run_id: string;
  readonly task_id: string;
  readonly correlation_id: string;
  readonly answer: ToldAnswer;
  readonly now_ms: number;
};

export function writeForeignResult({ answer, now_ms, ...ids }: ForeignResult): Message {
  // Nothing of it is sealed: no other executor could open it.
  const { status, error_message, output_data } = writeAnswer(answer, { secret: false, cipher: noCipher });
  const { run_id, task_id, correlation_id } = ids;
  const head = JSON.stringify({
    ...{ run_id, task_id, status, correlation_id, error_message },
    timestamp: writeTime(now_ms),
  });
  return { key: correlation_id, value: `${head.slice(0, -1)},"output_data":${output_data}}` };
}

const noCipher = { seal: () => '' };
