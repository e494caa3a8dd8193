import { basename } from 'node:path';
import type { Answer } from '../../core/answer.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import type { ProgramEnd, ProgramLimits } from '../../rpc/program/program.ts';
import { answerLimits } from '../provider-type.ts';
import { type Limit, limitOf } from '../timeout.ts';
import { answerFrom, type Meaning, type Output } from './answer.ts';
import { type Command, readCommand } from './command.ts';
import { missing } from './config.ts';
import { type CallScope, readCallTemplate, render } from './template.ts';

/** What a configuration says of one method, or of all. */
export type MethodSettings = {
  readonly command?: readonly string[];
  readonly stdin?: 'json' | 'none' | 'text';
  readonly stdin_text?: string;
  readonly output?: Output;
  readonly exit?: {
    readonly ok?: readonly number[];
    readonly retry?: readonly number[];
    readonly otherwise?: 'rejected' | 'server';
  };
  readonly timeout?: number | string;
};

export type Planned = {
  readonly command: Command;
  readonly input: string;
  readonly limit: Limit | null;
  readonly streams: boolean;
  answer(end: ProgramEnd): Answer;
};

const GRACE_S = 5;

export function limitsOf(config: {
  readonly limits?: { readonly memory?: number; readonly output?: number };
  readonly grace?: number;
}): ProgramLimits {
  return {
    max_output: config.limits?.output ?? answerLimits.max_message,
    max_memory: config.limits?.memory ?? null,
    grace_ms: (config.grace ?? GRACE_S) * 1000,
  };
}

type PlanParts = { readonly at: string; readonly limits: ProgramLimits; readonly timers: Timers };

/** Everything about a method that is the same for all of its calls is read once. Throws GLZ1012 where something is wrong. */
export function plansFor(settings: MethodSettings, parts: PlanParts): (call: ProviderCall) => Planned {
  const { at, limits, timers } = parts;
  const { command, output = 'json', timeout } = settings;
  if (command === undefined) throw missing(`${at}/command`, 'write the program and its arguments');
  const commandFor = readCommand(command, `${at}/command`);
  const inputFor = inputReader(settings, at);
  const limit = limitOf(timeout, timers, `${at}/timeout`);
  const meaning = meaningOf(settings, limits);
  return (call) => {
    const scope = scopeOf(call);
    return {
      command: commandFor(scope),
      input: inputFor(scope),
      limit,
      streams: output === 'lines' || output === 'jsonl' || output === 'text',
      answer: (end) => answerFrom(end, meaning),
    };
  };
}

export function meaningOf(
  { command, output = 'json', exit = {} }: MethodSettings,
  limits: ProgramLimits,
): Meaning {
  return {
    program: basename(command?.[0] ?? ''),
    output,
    ok: exit.ok ?? [0],
    retry: exit.retry ?? [75],
    otherwise: exit.otherwise ?? 'rejected',
    limits,
  };
}

/** What programs are given on standard input by each call. */
export function inputReader(
  { stdin = 'json', stdin_text }: MethodSettings,
  at: string,
): (scope: CallScope) => string {
  if (stdin === 'none') return () => '';
  if (stdin === 'json') return ({ params }) => `${JSON.stringify(params)}\n`;
  if (stdin_text === undefined)
    throw missing(`${at}/stdin_text`, 'write what the program reads: stdin_text: ${params.text}');
  const template = readCallTemplate(stdin_text, `${at}/stdin_text`);
  return (scope) => render(template.fill(scope));
}

export function scopeOf({ params, call_id, task_id, workflow_id, method, attempt }: ProviderCall): CallScope {
  return { params, call: { id: call_id, task_id, workflow_id, method, attempt } };
}
