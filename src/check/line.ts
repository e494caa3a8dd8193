import type { Json, JsonObject } from '../core/json.ts';
import { type Answer, readAnswer, readJson } from './envelope.ts';
import type { Notice } from './finding.ts';
import type { Rule } from './rules.ts';
import type { Heard, Said, Talk } from './talk.ts';
import type { Wire } from './wires.ts';

/** A line to one address of an agent, on one version. */
export type Line = {
  readonly wire: Wire;
  readonly url: URL;
  readonly talk: Talk;
  readonly notice: Notice;
  /** What is worked on. */
  readonly text: string;
  /** For ids: other than those of every check before. */
  readonly run: string;
};

export type Called = { readonly heard: Heard; readonly answer: Answer };

type Request = {
  readonly method: string;
  readonly params: Json;
  readonly id?: string | number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: URL;
  readonly bare?: boolean;
  /** In the place of "2.0". */
  readonly jsonrpc?: string;
};

export function requestOf(
  { wire, url, run }: Line,
  request: Request,
): Said & { readonly id: string | number } {
  const { method, params, id = `${run}-${method}`, headers = {}, jsonrpc = '2.0', bare = false } = request;
  const body = JSON.stringify({ jsonrpc, id, method, params });
  return { url: request.url ?? url, headers: { ...wire.headers, ...headers }, body, bare, id };
}

/** Calls a method. Whatever is wrong with how it is answered is noticed. */
export async function call(line: Line, request: Request): Promise<Called> {
  const said = requestOf(line, request);
  const heard = await line.talk.say(said);
  const value = readJson(heard, line.notice);
  if (value === undefined) return { heard, answer: null };
  return { heard, answer: readAnswer(value, { id: said.id, evidence: heard }, line.notice) };
}

export type Refusal = Request & {
  readonly rule: Rule;
  readonly codes: readonly number[];
  readonly message: string;
};

/** Calls what must be refused with one of these codes; without codes, with any. */
export async function refused(line: Line, refusal: Refusal): Promise<Called> {
  const called = await call(line, refusal);
  const { answer, heard } = called;
  const { codes } = refusal;
  if (answer?.kind === 'error' && (codes.length === 0 || codes.includes(Number(answer.code)))) return called;
  if (answer !== null) line.notice(refusal.rule, refusal.message, heard);
  return called;
}

/** How a plain question was answered, to hold others against. */
export type Usual = { readonly status: number; readonly code: unknown };

type Odd = {
  readonly rule: Rule;
  readonly message: string;
  readonly members?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: URL;
  readonly id?: string;
};

/** Asks for a task that there is not, in some unusual way, which must make no difference. */
export async function asUsual(line: Line, usual: Usual, odd: Odd): Promise<void> {
  const { rule, message, members = {}, ...how } = odd;
  const params = { id: `no-such-task-${line.run}`, ...members };
  const said = requestOf(line, { method: line.wire.get, params, ...how });
  const heard = await line.talk.say(said);
  const value = readJson(heard, () => {});
  const answer = value === undefined ? null : readAnswer(value, { id: said.id, evidence: heard }, () => {});
  const code = answer?.kind === 'error' ? answer.code : null;
  if (heard.status !== usual.status || code !== usual.code) line.notice(rule, message, heard);
}
