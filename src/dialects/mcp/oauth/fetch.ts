import type { WebStream } from '../../../rpc/http/client.ts';
import { readChallenge } from './challenge.ts';
import type { Login } from './login.ts';

/** How often one request may lead to a larger token. */
const STEPS = 3;
const forever = new AbortController().signal;

type Sendable = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
};

/** Sends with the token of a login; where the server wants another one, that is fetched and the request sent again. */
export function withLogin<Request extends Sendable>(
  send: (request: Request) => Promise<WebStream>,
  login: Login,
): (request: Request) => Promise<WebStream> {
  const shown = (request: Request, token: string | null): Request =>
    token === null
      ? request
      : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  return async (request) => {
    let token = login.token;
    let stream = await send(shown(request, token));
    let refusals = 0;
    for (let step = 0; step < STEPS; step++) {
      const challenge = readChallenge(stream.headers['www-authenticate']);
      const larger = stream.status === 403 && challenge.error === 'insufficient_scope';
      if (!larger && (stream.status !== 401 || ++refusals > 1)) return stream;
      stream.cancel();
      token = await login.renew(challenge, token, request.signal ?? forever);
      stream = await send(shown(request, token));
    }
    return stream;
  };
}
