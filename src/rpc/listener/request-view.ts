import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller, HttpRequest } from './route.ts';

/** Null is nobody we know. */
export type Authenticate = (request: HttpRequest) => Caller | null | Promise<Caller | null>;

/** What routes and access see of a request. Parsed when somebody looks. */
export class RequestView implements HttpRequest {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }

  get path(): string {
    return pathOf(this.#request);
  }

  get query(): URLSearchParams {
    const url = this.#request.url ?? '/';
    const mark = url.indexOf('?');
    return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get address(): string {
    return this.#request.socket.remoteAddress ?? '';
  }
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}
