import { GleitzeitError } from '../../core/errors.ts';
import { brokerAway, brokerRefused, certificateHint } from '../errors.ts';

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^(NOAUTH|WRONGPASS|ERR invalid password|ERR Client sent AUTH)/, 'correct the user name and the password'],
  [/^NOPERM/, 'grant this user the commands and keys that are named at the server'],
  [/^WRONGTYPE/, 'the key of this topic holds something else; use another name for the topic'],
  [/^ERR unknown command/, 'use Redis 6.2 or later, or a server that has streams'],
];

/** Errors that pass by themselves: the server starts, changes its leader, or has no room now. */
const passing = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY |OOM|MISCONF)/;

/** Trouble of the package in our words: refused for good, or away for now. */
export function redisError(what: string, where: string, error: unknown): GleitzeitError {
  if (error instanceof GleitzeitError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const untrusted = certificateHint(error);
  if (untrusted !== undefined) return brokerRefused(what, untrusted, error);
  const refusal = passing.test(text) ? undefined : refusals.find(([pattern]) => pattern.test(text));
  if (refusal !== undefined) return brokerRefused(what, refusal[1], error);
  return brokerAway(what, where, error);
}

export function saysNoGroup(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOGROUP');
}
