import type { Answer } from '../../core/answer.ts';
import { type ErrorDetails, errorRecord } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { MAX_JSON_DEPTH } from '../../core/limits.ts';
import { readMessage } from '../../rpc/answers.ts';
import { textOf } from '../../rpc/guard.ts';
import type { ProgramEnd } from '../../rpc/program/program.ts';

export type Output = 'json' | 'text' | 'lines' | 'jsonl' | 'none';

export type Meaning = {
  /** What is shown of it in errors. */
  readonly program: string;
  readonly output: Output;
  readonly ok: readonly number[];
  readonly retry: readonly number[];
  readonly otherwise: 'rejected' | 'server';
  readonly limits: { readonly max_output: number; readonly max_memory: number | null };
};

/** The longest a program can make a task wait; more is more likely a wrong unit. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** What a program did, in the words of the engine. */
export function answerFrom(end: ProgramEnd, meaning: Meaning): Answer {
  const { program, limits } = meaning;
  if (end.how === 'too_much_output')
    return failed('GLZ2005', `${program} printed more than ${limits.max_output} bytes`, {
      hint: 'print less, or raise limits.output of the provider',
    });
  if (end.how === 'too_much_memory')
    return failed('GLZ2010', `${program} took more than ${limits.max_memory} bytes of memory`, {
      hint: 'raise limits.memory of the provider if it needs more',
      details: { stderr: end.stderr },
    });
  if (end.how === 'signal')
    return failed('GLZ2002', `${program} ended by ${end.signal}${lastWords(end.stderr)}`, {
      reason: `the process ended by ${end.signal}`,
      details: { exit_code: null, signal: end.signal, stderr: end.stderr },
    });
  return meaning.ok.includes(end.code) ? resultOf(end.output, meaning) : complaintOf(end, meaning);
}

type Exit = Extract<ProgramEnd, { readonly how: 'exit' }>;

function complaintOf({ code, output, stderr }: Exit, meaning: Meaning): Answer {
  const mayPass = meaning.retry.includes(code) || meaning.otherwise === 'server';
  const said = saidIn(output);
  const message = said?.message ?? `${meaning.program} ended with exit code ${code}${lastWords(stderr)}`;
  return failed(mayPass ? 'GLZ2001' : 'GLZ2010', message, {
    reason: `exit code ${code}`,
    ...(said?.retry_after_ms === undefined ? {} : { retry_after_ms: said.retry_after_ms }),
    details: {
      exit_code: code,
      stderr,
      ...(said?.details === undefined ? {} : { said: said.details }),
    },
  });
}

type Said = { readonly message: string; readonly retry_after_ms?: number; readonly details?: Json };

/** `{"error": {"message": …}}` as the last line of what it printed says more than an exit code can. */
function saidIn(output: Buffer): Said | null {
  const line = output.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
  const read = readMessage(line, MAX_JSON_DEPTH);
  const error = 'value' in read && isObject(read.value) ? own(read.value, 'error') : null;
  if (!isObject(error)) return null;
  const [message, wait] = [own(error, 'message'), own(error, 'retry_after_ms')];
  const details = own(error, 'details') as Json | undefined;
  if (typeof message !== 'string') return null;
  return {
    message,
    ...(typeof wait === 'number' && wait >= 0 ? { retry_after_ms: Math.min(wait, LONGEST_WAIT_MS) } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

function resultOf(output: Buffer, { program, output: kind }: Meaning): Answer {
  if (kind === 'none') return { word: 'done', result: 'null' };
  if (kind === 'json') return done(readMessage(output, MAX_JSON_DEPTH), program);
  const text = decoded(output);
  if (text === null) return unusable(program, 'is no UTF-8');
  if (kind === 'text') return done({ value: text.replace(/\r?\n$/, '') }, program);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (kind === 'lines') return done({ value: lines }, program);
  return done(readLines(lines.filter((line) => line.trim() !== '')), program);
}

type Read = ReturnType<typeof readMessage>;

function readLines(lines: readonly string[]): Read {
  const values: Json[] = [];
  for (const [index, line] of lines.entries()) {
    const read = readMessage(line, MAX_JSON_DEPTH - 1);
    if ('invalid' in read) return { invalid: `${read.invalid} in line ${index + 1}` };
    values.push(read.value);
  }
  return { value: values };
}

function done(read: Read, program: string): Answer {
  if ('invalid' in read) return unusable(program, read.invalid);
  return { word: 'done', result: JSON.stringify(read.value) };
}

function unusable(program: string, reason: string): Answer {
  return failed('GLZ2005', `what ${program} printed ${reason}`, {
    reason,
    fault: 'provider',
    hint: 'let standard output hold the result alone, or say how it is to be read: output: text',
  });
}

function decoded(bytes: Buffer): string | null {
  try {
    return textOf(bytes);
  } catch {
    return null;
  }
}

function lastWords(stderr: string): string {
  const line = stderr.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line}`;
}

function failed(code: Parameters<typeof errorRecord>[0], message: string, details: ErrorDetails): Answer {
  return { word: 'failed', error: errorRecord(code, message, details) };
}
