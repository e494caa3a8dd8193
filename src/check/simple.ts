import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { noticeInside, parsed, readJson } from './envelope.ts';
import type { Notice } from './finding.ts';
import type { Rule } from './rules.ts';
import type { Heard, Talk } from './talk.ts';

export type SimpleLine = {
  readonly url: URL;
  readonly talk: Talk;
  readonly notice: Notice;
  readonly text: string;
  readonly run: string;
};

const good: readonly string[] = ['success', 'completed', 'ok'];
const LARGE = 64 * 1024;
const bad: readonly string[] = ['error', 'failed'];

/** Whether what answers here speaks simple-a2a, as far as one request can tell. */
export async function speaksSimple(line: SimpleLine): Promise<boolean> {
  const { text, status } = await ask(line, { task_id: `${line.run}-probe`, input: { text: line.text } });
  const value = text === null ? undefined : parsed(text);
  if (!isObject(value) || value['jsonrpc'] !== undefined || status >= 500) return false;
  return value['status'] !== undefined || value['task_id'] !== undefined;
}

function ask({ talk, url, run }: SimpleLine, body: Json): Promise<Heard> {
  return talk.say({ url, headers: { 'x-correlation-id': run }, body: JSON.stringify(body) });
}

/** Sends three tasks, and some things that are none. */
export async function checkSimple(line: SimpleLine): Promise<void> {
  const { run, text, notice } = line;
  const task_id = `${run}-1`;
  const plain = await ask(line, { task_id, input: { text } });
  const value = readJson(plain, notice);
  if (value !== undefined) lookAtAnswer(value, { heard: plain, task_id, notice });
  if (plain.trouble !== null || plain.location !== null) return;
  await sendTogether(line, plain);
  const torn = await sendNonsense(line, '{"task_id": ', 'What is no JSON makes it fail, or is taken.');
  if (statusOf(torn) === 'good')
    notice('simple-malformed', 'What is no JSON makes it fail, or is taken.', torn);
  // Many take what is no object for a task without an input, which does no harm.
  for (const body of ['null', '[]']) await sendNonsense(line, body, 'JSON that is no object makes it fail.');
}

async function sendNonsense(
  { talk, url, notice }: SimpleLine,
  body: string,
  message: string,
): Promise<Heard> {
  const heard = await talk.say({ url, body });
  if (heard.trouble !== null || heard.status >= 500) notice('simple-malformed', message, heard);
  noticeInside(heard.text ?? '', heard, notice);
  return heard;
}

type Task = JsonObject & { readonly task_id: string };
type Other = { readonly rule: Rule; readonly message: string; readonly body: Task; readonly smaller?: Task };

/** Two at once; what fails is sent again by itself, to tell what it failed at. */
async function sendTogether(line: SimpleLine, plain: Heard): Promise<void> {
  const { run, text, notice } = line;
  const input = { text };
  const others: readonly Other[] = [
    {
      ...{ rule: 'simple-input', message: 'It fails for an input that is a text.' },
      body: { task_id: `${run}-2`, input: text },
    },
    {
      ...{ rule: 'unknown-members', message: 'It refuses requests with members that it does not know.' },
      body: { task_id: `${run}-3`, input, x_unknown: { filler: 'x'.repeat(LARGE) } },
      smaller: { task_id: `${run}-3`, input, x_unknown: {} },
    },
  ];
  const together = await Promise.all(others.map(({ body }) => ask(line, body)));
  for (const [index, { rule, message, body, smaller }] of others.entries()) {
    const heard = together[index];
    if (heard === undefined) continue;
    if (isOfOther(heard, body)) notice('simple-task-id', 'Its answer is about another task.', heard);
    if (!worse(heard, plain)) continue;
    if (!worse(await ask(line, body), plain))
      notice('at-once', 'It refuses calls that come together.', heard);
    else if (smaller !== undefined && !worse(await ask(line, smaller), plain))
      notice('large-message', 'It refuses requests of 64 KiB.', heard);
    else notice(rule, message, heard);
  }
}

function worse(heard: Heard, plain: Heard): boolean {
  if (heard.trouble !== null || (heard.status >= 400 && plain.status < 400)) return true;
  return statusOf(plain) === 'good' && statusOf(heard) !== 'good';
}

function isOfOther({ text }: Heard, body: Task): boolean {
  const value = text === null ? undefined : parsed(text);
  return isObject(value) && typeof value['task_id'] === 'string' && value['task_id'] !== body.task_id;
}

function statusOf({ text }: Heard): 'good' | 'other' {
  const value = text === null ? undefined : parsed(text);
  return isObject(value) && good.includes(String(value['status'])) ? 'good' : 'other';
}

type Told = { readonly heard: Heard; readonly task_id: string; readonly notice: Notice };

function lookAtAnswer(value: Json, { heard, task_id, notice }: Told): void {
  if (!isObject(value)) {
    notice('simple-status', 'Its answer is not an object.', heard);
    return;
  }
  if (heard.status >= 400 && heard.status < 500)
    notice('http-status', `It answers with HTTP ${heard.status}.`, heard);
  if (value['task_id'] !== task_id)
    notice(
      'simple-task-id',
      value['task_id'] === undefined ? 'Its answer has no task_id.' : 'Its answer is about another task.',
      heard,
    );
  const { status } = value;
  if (status === undefined) notice('simple-status', 'Its answer has no status.', heard);
  else if (typeof status !== 'string' || ![...good, ...bad].includes(status))
    notice('simple-status', `${JSON.stringify(status)} is no status.`, heard);
  if (good.includes(String(status))) lookAtSuccess(value, heard, notice);
  if (bad.includes(String(status))) {
    if (typeof value['error'] !== 'string' || value['error'] === '')
      notice('simple-error', 'It fails and does not say why.', heard);
    noticeInside(heard.text ?? '', heard, notice);
    notice('work', 'It failed at the task.', heard);
  }
}

function lookAtSuccess({ output, error }: JsonObject, heard: Heard, notice: Notice): void {
  if (output === undefined || output === null)
    notice('simple-output', 'It succeeds and gives no output.', heard);
  if (error !== undefined && error !== null && error !== '')
    notice('simple-error', 'It succeeds and names an error.', heard);
}
