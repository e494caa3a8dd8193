import type { Static } from 'typebox';
import type { Answer } from '../../core/answer.ts';
import { type ErrorRecord, errorFromRpc } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import type { Cipher } from '../../core/ports/cipher.ts';
import { SEALED } from '../../core/secrets.ts';
import { Type } from '../../type.ts';
import { unreadable } from './read.ts';
import { Anything, Milliseconds, Text } from './shapes.ts';

/** What one can be told of: who was withdrawn from makes no answer, the call goes to somebody else. */
export type ToldAnswer = Exclude<Answer, { readonly word: 'withdrawn' }>;

/**
 * An answer beside the members that everybody reads. A result stands in `output_data` and nowhere else: under `result`
 * there where it is no object (`wrapped`), and as a whole under `$sealed` where parts of it are secret (`sealed`).
 */
export const WrittenAnswer = Type.Union([
  Type.Object({
    word: Type.Literal('done'),
    wrapped: Type.Optional(Type.Boolean()),
    sealed: Type.Optional(Type.Boolean()),
    usage: Type.Optional(
      Type.Object({
        input_tokens: Type.Optional(Type.Number()),
        output_tokens: Type.Optional(Type.Number()),
      }),
    ),
  }),
  Type.Object({
    word: Type.Literal('failed'),
    error: Type.Object({
      code: Type.Number(),
      message: Text,
      data: Type.Unsafe<JsonObject>({ type: 'object', required: ['error_code'] }),
    }),
  }),
  Type.Object({ word: Type.Literal('again'), after_ms: Milliseconds, reason: Text }),
  Type.Object({
    word: Type.Literal('outside'),
    wait: Type.Object({
      kind: Type.Enum(['input', 'auth', 'notification']),
      ask: Anything,
      kept: Anything,
      token: Anything,
      after_ms: Type.Union([Milliseconds, Type.Null()]),
      late: Type.Enum(['fail', 'resume']),
    }),
  }),
]);

export type Written = {
  /** JSON texts of these members. */
  readonly output_data: string;
  readonly answer: string;
  readonly error_message: string | null;
  readonly status: 'SUCCESS' | 'FAILURE';
};

/** `secret`: the result of this method has secrets in it, or may repeat some. */
export function writeAnswer(
  answer: ToldAnswer,
  { secret, cipher }: { secret: boolean; cipher: Pick<Cipher, 'seal'> },
): Written {
  if (answer.word === 'done') return writeResult(answer, secret ? cipher : null);
  const told = answer.word === 'outside' ? { ...answer, wait: sealedWait(answer.wait, cipher) } : answer;
  return {
    output_data: 'null',
    answer: JSON.stringify(told),
    error_message: errorMessage(answer),
    status: 'FAILURE',
  };
}

function writeResult(
  { result, usage }: Extract<ToldAnswer, { word: 'done' }>,
  cipher: Pick<Cipher, 'seal'> | null,
): Written {
  const sealed = cipher !== null;
  const wrapped = !sealed && !result.startsWith('{');
  const flags = { ...(wrapped ? { wrapped } : {}), ...(sealed ? { sealed } : {}) };
  return {
    output_data: sealed
      ? JSON.stringify({ [SEALED]: cipher.seal(result) })
      : wrapped
        ? `{"result":${result}}`
        : result,
    answer: JSON.stringify({ word: 'done', ...flags, ...(usage === undefined ? {} : { usage }) }),
    error_message: null,
    status: 'SUCCESS',
  };
}

const states = { input: 'input-required', auth: 'auth-required', notification: 'working' } as const;

/** In the words that readers of results know. */
function errorMessage(answer: Exclude<ToldAnswer, { word: 'done' }>): string {
  if (answer.word === 'failed') return answer.error.message;
  return answer.word === 'again' ? answer.reason : `Task state: ${states[answer.wait.kind]}`;
}

type Wait = Extract<Answer, { word: 'outside' }>['wait'];

function sealedWait(wait: Wait, cipher: Pick<Cipher, 'seal'>): Json {
  const { kind, ask, kept, token, after_ms, late } = wait;
  const sealed = token === null ? null : { [SEALED]: cipher.seal(token) };
  return { kind, ask, kept, token: sealed, after_ms, late };
}

type ReadAnswer = Static<typeof WrittenAnswer>;

/** Throws GLZ3010 where what is sealed was sealed by a key that is not here. */
export function readAnswer(read: ReadAnswer, output_data: Json, cipher: Pick<Cipher, 'open'>): ToldAnswer {
  if (read.word === 'done') {
    const { usage, wrapped = false, sealed = false } = read;
    const result = resultText(output_data, { wrapped, sealed, cipher });
    return { word: 'done', result, ...(usage === undefined ? {} : { usage }) };
  }
  // Codes of ours are believed: only bridges of ours answer in these words.
  if (read.word === 'failed') return { word: 'failed', error: errorOf(read.error) };
  if (read.word === 'again') return { word: 'again', after_ms: read.after_ms, reason: read.reason };
  const { kind, ask, kept, after_ms, late } = read.wait;
  const token =
    read.wait.token === null ? null : cipher.open(sealedText(read.wait.token, '/answer/wait/token'));
  return { word: 'outside', wait: { kind, ask, kept, token, after_ms, late } };
}

function errorOf(error: { code: number; message: string; data: JsonObject }): ErrorRecord {
  return errorFromRpc(error).toRecord();
}

function resultText(
  output_data: Json,
  { wrapped, sealed, cipher }: { wrapped: boolean; sealed: boolean; cipher: Pick<Cipher, 'open'> },
): string {
  if (sealed) return cipher.open(sealedText(output_data, '/output_data'));
  if (!wrapped) return JSON.stringify(output_data);
  if (!isObject(output_data) || !Object.hasOwn(output_data, 'result'))
    throw unreadable('AgentResult', { field: '/output_data', reason: 'is to have "result"' });
  return JSON.stringify(output_data['result']);
}

function sealedText(value: Json, field: string): string {
  const sealed = isObject(value) && Object.hasOwn(value, SEALED) ? value[SEALED] : undefined;
  if (typeof sealed === 'string') return sealed;
  throw unreadable('AgentResult', { field, reason: `is to have "${SEALED}"` });
}
