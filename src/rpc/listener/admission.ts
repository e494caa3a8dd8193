import type { IncomingMessage, ServerResponse } from 'node:http';
import { HostCheck } from './hosts.ts';
import { corsHeaders, OriginCheck, type OriginVerdict, preflightHeaders } from './origins.ts';
import { type Refusal, wrongHost, wrongOrigin } from './refusal.ts';

export type AdmissionParts = {
  readonly allowed_hosts: readonly string[];
  readonly allowed_origins: readonly string[];
  readonly secure: boolean;
  /** A browser cannot reach a Unix socket, and what asks there has no name to check. */
  readonly unix: boolean;
};

/** What is looked at first: by which name a request came, and from whose page. */
export class Admission {
  readonly #hosts: HostCheck;
  readonly #origins: OriginCheck;
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#hosts = new HostCheck(parts.allowed_hosts);
    this.#origins = new OriginCheck(parts.allowed_origins);
  }

  /** `by_any_name`: what is asked for tells nothing that a page could use. */
  judge({ headers, socket }: IncomingMessage, by_any_name = false): Refusal | OriginVerdict {
    const named = this.#parts.unix || by_any_name || this.#hosts.allows(headers.host, socket.localAddress);
    if (!named) return wrongHost;
    const verdict = this.#origins.judge(headers, this.#parts.secure);
    return verdict === 'foreign' ? wrongOrigin : verdict;
  }
}

/** Lets the browser hand our answers to a page of an allowed origin. True: the question was all there was. */
export function greetOrigin(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin = '' } = request.headers;
  for (const [name, value] of Object.entries(corsHeaders(origin))) response.setHeader(name, value);
  const asks = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
  if (!asks) return false;
  response.writeHead(204, preflightHeaders);
  response.end();
  return true;
}
