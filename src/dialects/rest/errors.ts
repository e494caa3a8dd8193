import type { ErrorCode } from '../../core/error-codes.ts';
import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { codeForStatus, faultOfCredentials } from '../../rpc/http/answer.ts';
import { type Pointer, pointer } from '../mapping/pointer.ts';
import type { ErrorRuleConfig, errorClasses } from './config.ts';
import { type Judge, judgeOf } from './judge.ts';

type ErrorClass = (typeof errorClasses)[number];

const codes: Readonly<Record<ErrorClass, ErrorCode>> = {
  rejected: 'GLZ2010',
  server: 'GLZ2001',
  rate_limit: 'GLZ2004',
  timeout: 'GLZ2003',
};

export function codeOf(name: ErrorClass): ErrorCode {
  return codes[name];
}

/** What an answer says about itself. `value` is undefined where it could not be read. */
export type Said = {
  readonly status: number;
  /** A success by its status. */
  readonly ok: boolean;
  readonly value: Json | undefined;
  readonly peer: string;
  /** Asked for by header. */
  readonly retry_after_ms: number | undefined;
  /** `: ` and the beginning of the answer, for one that names no reason. */
  readonly beginning: () => string;
};

export type ErrorRules = (said: Said) => GleitzeitError | null;

/** Rules of the method first, then those of the provider; an error that fits none is one by its status. */
export function errorRules(
  own: readonly ErrorRuleConfig[],
  common: readonly ErrorRuleConfig[],
  at: { readonly own: string; readonly common: string },
): ErrorRules {
  const rules = [
    ...own.map((rule, index) => compile(rule, child(at.own, index))),
    ...common.map((rule, index) => compile(rule, child(at.common, index))),
  ];
  return (said) => {
    const rule = rules.find(({ fits }) => fits(said));
    if (rule === undefined && said.ok) return null;
    return failure(said, rule ?? unruled);
  };
}

type Rule = {
  readonly fits: (said: Said) => boolean;
  readonly code: ErrorCode | null;
  readonly message: Pointer | null;
  readonly retry_after: Pointer | null;
};

const unruled: Rule = { fits: () => true, code: null, message: null, retry_after: null };

function compile(rule: ErrorRuleConfig, at: string): Rule {
  const judge: Judge = judgeOf(rule, at);
  const byItself = rule.status !== undefined || rule.at !== undefined;
  return {
    // A rule that says nothing of when it holds is about everything that is no success.
    fits: (said) => (byItself ? judge(said.status, said.value) : !said.ok),
    code: rule.class === undefined ? null : codes[rule.class],
    message: rule.message === undefined ? null : pointer(rule.message, child(at, 'message')),
    retry_after: rule.retry_after === undefined ? null : pointer(rule.retry_after, child(at, 'retry_after')),
  };
}

function failure(said: Said, { code, message, retry_after }: Rule): GleitzeitError {
  const { status, value, peer } = said;
  const told = (value === undefined ? undefined : textAt(value, message)) ?? usual(value);
  const wait = value === undefined ? undefined : secondsAt(value, retry_after);
  const retry_after_ms = wait ?? said.retry_after_ms;
  const details: ErrorDetails = {
    reason: `${peer} answered HTTP ${status}`,
    ...(status === 401 || status === 403
      ? { hint: 'check the auth and the headers configured for this service' }
      : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...faultOfCredentials(status),
    details: { http_status: status },
  };
  const words = told ?? `${peer} answered HTTP ${status}${said.beginning()}`;
  const byStatus = said.ok ? 'GLZ2010' : codeForStatus(status);
  return new GleitzeitError(code ?? byStatus, words, details);
}

function textAt(value: Json, read: Pointer | null): string | undefined {
  const found = read?.(value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function secondsAt(value: Json, read: Pointer | null): number | undefined {
  const seconds = Number(read?.(value) ?? Number.NaN);
  return seconds >= 0 && seconds <= LONGEST_S ? Math.ceil(seconds * 1000) : undefined;
}

const LONGEST_S = 24 * 60 * 60;

/** Where services of all kinds say what is wrong. */
const usualPlaces = [
  ...['/error/message', '/error_description', '/error/detail', '/message', '/detail', '/title'],
  ...['/errors/0/message', '/errors/0/detail', '/errors/0', '/error', '/msg', '/reason'],
].map((place) => pointer(place, ''));

function usual(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  for (const place of usualPlaces) {
    const found = textAt(value, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
