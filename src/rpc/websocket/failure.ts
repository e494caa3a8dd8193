import type { IncomingMessage } from 'node:http';
import { GleitzeitError } from '../../core/errors.ts';
import { codeForStatus, faultOfEndpoint } from '../http/answer.ts';
import { carrierError } from '../http/failure.ts';

export function linkClosed(peer: string): GleitzeitError {
  return new GleitzeitError('GLZ2002', `the channel to ${peer} is closed`);
}

export function unreachable(peer: string, ms: number): GleitzeitError {
  return new GleitzeitError('GLZ2002', `no connection to ${peer} came about within ${ms} ms`);
}

/** An HTTP answer instead of a WebSocket: what it means is in its status, as it is over HTTP. */
export function handshakeRefused(peer: string, response: IncomingMessage): GleitzeitError {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  const where =
    status >= 300 && status < 400 && location !== undefined ? `, and redirects to ${location}` : '';
  return new GleitzeitError(
    codeForStatus(status),
    `${peer} opens no WebSocket: it answered HTTP ${status}${where}`,
    {
      hint: 'check the address, the auth and the headers configured for this service',
      ...faultOfEndpoint(status),
      details: { http_status: status },
    },
  );
}

const CUT = 1006;
const TOO_BIG = 1009;

/** What ended an open connection. */
export function closedBy(peer: string, code: number, reason: string): GleitzeitError {
  const said = reason === '' ? '' : ` (${reason})`;
  if (code === TOO_BIG) return new GleitzeitError('GLZ2010', `${peer} refused a message as too large${said}`);
  const how = code === CUT ? 'was cut' : `was closed by it with code ${code}${said}`;
  return new GleitzeitError('GLZ2002', `the connection to ${peer} ${how}`);
}

export function socketError(error: Error, peer: string): GleitzeitError {
  const { code } = error as { code?: unknown };
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new GleitzeitError('GLZ2005', `${peer} answered with more than is allowed`, {}, error);
  if (typeof code === 'string' && code.startsWith('WS_ERR'))
    return new GleitzeitError('GLZ2002', `${peer} broke the rules of WebSocket: ${error.message}`, {}, error);
  return carrierError(error, peer);
}
