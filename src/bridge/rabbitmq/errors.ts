import { GleitzeitError } from '../../core/errors.ts';
import { brokerAway, brokerRefused, certificateHint } from '../errors.ts';

/** Codes of AMQP with which a server refuses something for good. */
const refusals: Readonly<Record<number, string>> = {
  403: 'grant this user the right to configure, write and read what is named',
  406: 'something of this name exists with other settings; remove it, or use another name',
  530: 'use a virtual host that exists and that this user may enter',
};

/** Trouble of the package in our words: refused for good, or away for now. */
export function rabbitError(what: string, where: string, error: unknown): GleitzeitError {
  if (error instanceof GleitzeitError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const hint = typeof code === 'number' ? refusals[code] : certificateHint(error);
  if (hint !== undefined) return brokerRefused(what, hint, error);
  // Before there is a connection the refusal is only a text.
  if (error instanceof Error && /ACCESS_REFUSED|403/.test(error.message))
    return brokerRefused(what, 'correct the user name and the password', error);
  return brokerAway(what, where, error);
}
