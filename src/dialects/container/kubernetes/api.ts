import { GleitzeitError } from '../../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts';
import { faultOfCredentials } from '../../../rpc/http/answer.ts';
import type { HttpResponse, WebClient } from '../../../rpc/http/client.ts';

const MAX_OBJECT = 4 * 1024 * 1024;
const CONFLICT = 409;
const NOT_FOUND = 404;

/** The little of the API of Kubernetes that a job takes. */
export class ClusterApi {
  readonly #client: WebClient;
  readonly #url: string;
  readonly #namespace: string;

  constructor(client: WebClient, url: string, namespace: string) {
    this.#client = client;
    this.#url = url.replace(/\/+$/, '');
    this.#namespace = namespace;
  }

  /** What is there already under the name is this call's own: an attempt is made once. */
  async create(kind: 'jobs' | 'secrets', manifest: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { metadata } = manifest;
    const response = await this.#send('POST', this.#path(kind), { body: manifest, signal });
    if (response.status !== CONFLICT) return this.#read(response);
    return this.get(kind, String(own(metadata as JsonObject, 'name')), signal);
  }

  async get(kind: 'jobs' | 'secrets', name: string, signal: AbortSignal): Promise<JsonObject> {
    return this.#read(await this.#send('GET', `${this.#path(kind)}/${name}`, { signal }));
  }

  async patch(kind: 'secrets', name: string, patch: JsonObject, signal: AbortSignal): Promise<void> {
    this.#read(await this.#send('PATCH', `${this.#path(kind)}/${name}`, { body: patch, signal }));
  }

  async podOf(job: string, signal: AbortSignal): Promise<JsonObject | null> {
    const query = `?labelSelector=${encodeURIComponent(`job-name=${job}`)}`;
    const { items } = this.#read(await this.#send('GET', this.#path('pods') + query, { signal }));
    const [pod] = Array.isArray(items) ? (items as readonly Json[]) : [];
    return isObject(pod) ? pod : null;
  }

  /** One byte more than may be kept tells that there is more. */
  async log(pod: string, most: number, signal: AbortSignal): Promise<Buffer> {
    const path = `${this.#path('pods')}/${pod}/log?container=call&limitBytes=${most + 1}`;
    const response = await this.#send('GET', path, { signal, max_bytes: most + 1024 });
    if (response.status >= 300) this.#read(response);
    return response.body;
  }

  async remove(kind: 'jobs' | 'secrets', name: string, signal: AbortSignal): Promise<void> {
    const path = `${this.#path(kind)}/${name}?propagationPolicy=Background`;
    const response = await this.#send('DELETE', path, { signal });
    if (response.status !== NOT_FOUND) this.#read(response);
  }

  #path(kind: 'jobs' | 'secrets' | 'pods'): string {
    const group = kind === 'jobs' ? '/apis/batch/v1' : '/api/v1';
    return `${group}/namespaces/${this.#namespace}/${kind}`;
  }

  #send(
    method: string,
    path: string,
    { body, signal, max_bytes = MAX_OBJECT }: { body?: JsonObject; signal: AbortSignal; max_bytes?: number },
  ): Promise<HttpResponse> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.#client.request({
      method,
      url: new URL(this.#url + path),
      headers: { accept: 'application/json, */*', ...(body === undefined ? {} : { 'content-type': type }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      max_bytes,
    });
  }

  #read({ status, body }: HttpResponse): JsonObject {
    const said = parsed(body);
    if (status < 300 && isObject(said)) return said;
    if (status < 300)
      throw new GleitzeitError('GLZ2005', 'the API server answered with something that is no object');
    const message = isObject(said) ? own(said, 'message') : undefined;
    const text = `the API server refused: ${typeof message === 'string' ? message : `HTTP ${status}`}`;
    throw new GleitzeitError(codeFor(status), text, {
      reason: `HTTP ${status}`,
      ...faultOfCredentials(status),
    });
  }
}

function codeFor(status: number) {
  if (status === 429) return 'GLZ2004';
  return status >= 500 ? 'GLZ2001' : 'GLZ2010';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
