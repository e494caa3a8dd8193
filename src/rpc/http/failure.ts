import { GleitzeitError } from '../../core/errors.ts';

/** What undici, the socket or the resolver say went wrong, in words that name the peer. */
export function carrierError(error: Error, peer: string): GleitzeitError {
  if (error instanceof GleitzeitError) return error;
  const code = codeOf(error);
  const say = words[code];
  if (say !== undefined) return say(peer, error);
  if (isCertificateTrouble(code)) return certificate(peer, code);
  if (code.startsWith('HPE_') || code.startsWith('UND_ERR_RES'))
    return transport(`${peer} answered with something that is not HTTP or was cut short`, error);
  return transport(`the connection to ${peer} failed: ${messageOf(error)}`, error);
}

type Words = (peer: string, error: Error) => GleitzeitError;

const words: Readonly<Record<string, Words>> = {
  ECONNREFUSED: (peer, error) => transport(`${peer} refused the connection: nothing listens there`, error),
  ENOTFOUND: (peer, error) => transport(`the name of ${peer} is not known`, error),
  EAI_AGAIN: (peer, error) => transport(`the name of ${peer} could not be looked up`, error),
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_CONNECT_TIMEOUT: (peer, error) => transport(`no connection to ${peer} came about in time`, error),
  UND_ERR_HEADERS_TIMEOUT: (peer, error) => timeout(`${peer} did not begin to answer in time`, error),
  UND_ERR_BODY_TIMEOUT: (peer, error) => timeout(`${peer} stopped in the middle of its answer`, error),
  UND_ERR_DESTROYED: closed,
  UND_ERR_CLOSED: closed,
  UND_ERR_HEADERS_OVERFLOW: (peer) =>
    new GleitzeitError('GLZ2005', `${peer} answered with headers that are too long`),
  UND_ERR_INVALID_ARG: (peer, error) =>
    new GleitzeitError('GLZ1012', `the request to ${peer} cannot be written: ${error.message}`, {}, error),
};

function cut(peer: string, error: Error): GleitzeitError {
  return transport(`${peer} closed the connection before it answered`, error);
}

function closed(peer: string): GleitzeitError {
  return new GleitzeitError('GLZ2002', `the channel to ${peer} is closed`);
}

function transport(message: string, cause: Error): GleitzeitError {
  return new GleitzeitError('GLZ2002', message, {}, cause);
}

function timeout(message: string, cause: Error): GleitzeitError {
  return new GleitzeitError('GLZ2003', message, {}, cause);
}

function isCertificateTrouble(code: string): boolean {
  return /CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}

function certificate(peer: string, code: string): GleitzeitError {
  return new GleitzeitError('GLZ2002', `no trusted connection to ${peer}: ${code}`, {
    hint: 'give the authority that signed its certificate, or call it by the name that the certificate is for',
    details: { certificate: code },
  });
}

/** Several addresses tried in vain are one error without words of its own. */
function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return '';
}

function messageOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
}
