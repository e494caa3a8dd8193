import type { ErrorCode } from '../core/error-codes.ts';
import type { GleitzeitError } from '../core/errors.ts';
import { problemsOf } from '../files/problems.ts';
import type { ExitName } from './exits.ts';
import { cleanText } from './output/clean.ts';
import { jsonLine } from './output/formats.ts';
import { paint } from './output/paint.ts';
import { problemsText } from './views/problems.ts';

/** How the program ends for each code; the rest are failures. */
export const exitsByCode = {
  GLZ1001: 'findings',
  GLZ1002: 'findings',
  GLZ1003: 'findings',
  GLZ1004: 'findings',
  GLZ1005: 'findings',
  GLZ1006: 'findings',
  GLZ1007: 'findings',
  GLZ1008: 'findings',
  GLZ1009: 'conflict',
  GLZ1010: 'not_found',
  GLZ1011: 'conflict',
  GLZ1012: 'usage',
  GLZ1013: 'conflict',
  GLZ2002: 'unreachable',
  GLZ2003: 'timeout',
  GLZ3001: 'unreachable',
  GLZ3002: 'conflict',
  GLZ4001: 'access',
  GLZ4002: 'access',
  GLZ4003: 'unreachable',
  GLZ4007: 'usage',
  GLZ9002: 'unreachable',
} as const satisfies Partial<Record<ErrorCode, ExitName>>;

export function exitOf(error: GleitzeitError): ExitName {
  // A configuration that is not there has no mistakes.
  if (problemsOf(error).length > 0 && error.code !== 'GLZ1010') return 'findings';
  return (exitsByCode as Partial<Record<ErrorCode, ExitName>>)[error.code] ?? 'failure';
}

/** As programs read it: one line of JSON on stderr. */
export function errorLine(error: GleitzeitError): string {
  const { code, message, details } = error;
  const { field, reason, hint } = details;
  const problems = problemsOf(error);
  const said = { code, message, field, reason, hint, ...(problems.length > 0 ? { problems } : {}) };
  return jsonLine({ error: said });
}

/** As a person reads it: what happened, then what to do; all that is wrong with a file, each with its place. */
export function errorText(error: GleitzeitError, colour = false, columns: number | null = null): string {
  const problems = problemsOf(error);
  if (problems.length > 0) return problemsText(problems, { colour, columns });
  const { message, details, code } = error;
  const { reason = '', hint = '' } = details;
  const more = [message.includes(reason) ? '' : reason, hint].filter((line) => line !== '');
  const head = `${paint(colour, 'red', 'gleitzeit:')} ${cleanText(message)} ${paint(colour, 'dim', `(${code})`)}`;
  return [head, ...more.map((line) => `  ${cleanText(line)}`), ''].join('\n');
}
