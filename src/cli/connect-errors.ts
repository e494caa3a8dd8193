import { isErrorCode } from '../core/error-codes.ts';
import { type ErrorDetails, GleitzeitError } from '../core/errors.ts';
import { CallError, ConnectionError } from '../sdk/index.ts';

/** What a client rejects with, as the command line tells errors. */
export function ourError(thrown: unknown): GleitzeitError {
  if (thrown instanceof CallError) return refused(thrown);
  if (!(thrown instanceof ConnectionError)) return GleitzeitError.from(thrown);
  const { cause, trouble, message, hint, url } = thrown;
  if (cause instanceof GleitzeitError) return cause;
  const away = awayBecause(cause);
  if (away !== null || trouble === 'unreachable')
    return new GleitzeitError(
      'GLZ2002',
      away === null ? message : `no server can be reached at ${url.replace(/\/rpc$/, '')}`,
      {
        ...(away === null ? {} : { reason: away }),
        hint: 'is --server or GLEITZEIT_SERVER_URL right? gleitzeit serve starts a server, gleitzeit doctor looks what is wrong',
      },
    );
  const code = trouble === 'timeout' ? 'GLZ2003' : 'GLZ2002';
  return new GleitzeitError(code, message, hint === undefined ? {} : { hint }, thrown);
}

const awayCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  'bad port': 'its port belongs to another service, and clients of HTTP refuse to ask there',
};

/** Why nothing can have been sent, where the system said so. */
function awayBecause(thrown: unknown): string | null {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    // A port that is refused beforehand has no code, but these words.
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
    const said = awayCodes[code];
    if (said !== undefined) return `${said} (${code})`;
  }
  return null;
}

function refused(error: CallError): GleitzeitError {
  const { error_code, message, field, reason, hint, details } = error;
  const told = error_code === 'GLZ4001' ? KEY_HINT : hint;
  const more: ErrorDetails = {
    ...(field === undefined ? {} : { field }),
    ...(reason === undefined ? {} : { reason }),
    ...(told === undefined ? {} : { hint: told }),
    ...(details === undefined ? {} : { details }),
  };
  return new GleitzeitError(isErrorCode(error_code) ? error_code : 'GLZ9001', message, more, error);
}

const KEY_HINT = 'set GLEITZEIT_KEY or give --key-file; gleitzeit token create makes a key';

/** Where a command asks for a protocol by name, one that nobody knows is something that is not there. */
export function unknownProtocol(thrown: unknown): never {
  const error = ourError(thrown);
  if (error.code !== 'GLZ1003') throw error;
  throw new GleitzeitError('GLZ1010', error.message, error.details, error);
}
