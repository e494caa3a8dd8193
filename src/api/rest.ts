import type { JsonObject } from '../core/json.ts';
import type { MethodName } from './methods.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A method of the control API as a request about a resource. Everything else about it stands in the method table. */
export type RestOperation = {
  readonly http: HttpMethod;
  /** Below `REST_PATH`; what stands in braces is the param of that name. */
  readonly path: string;
  readonly method: MethodName;
  /** Where the method says too little, or something else. */
  readonly summary?: string;
  /** The param that the whole body is. Without it the body has the params by their names. */
  readonly body?: string;
  /**
   * The body is all there is to say: these must be in it, and what else is left out and may be null goes back to its
   * default, instead of staying as it is.
   */
  readonly replaces?: readonly string[];
  /** What only the server says of the resource may come back as it was read: it is left aside. */
  readonly echoes?: true;
  /** Of a result; 201 becomes 200 where the result says that nothing was `created`. */
  readonly status: 200 | 201 | 204;
  /** Where what was made is found; what stands in braces is a member of the result. */
  readonly location?: string;
  /** Instead of what the method takes where nothing is said. */
  readonly defaults?: JsonObject;
  /** Asked first with the params of the path, so that what is not there is not found. */
  readonly first?: MethodName;
  /** A list of what has the name in the path: where it is empty, there is nothing of that name. */
  readonly found?: 'items';
};

export const REST_PATH = '/api/v1';
export const OPENAPI_PATH = '/openapi.json';

const runs: readonly RestOperation[] = [
  { http: 'GET', path: '/runs', method: 'workflow.list', status: 200 },
  {
    http: 'POST',
    path: '/runs',
    method: 'workflow.submit',
    status: 201,
    location: '/runs/{workflow_id}',
  },
  { http: 'GET', path: '/runs/{workflow_id}', method: 'workflow.status', status: 200 },
  {
    http: 'GET',
    path: '/runs/{workflow_id}/steps',
    method: 'task.list',
    summary: 'Lists the tasks of a run, page by page',
    status: 200,
    defaults: { order: 'oldest' },
    first: 'workflow.status',
  },
  { http: 'GET', path: '/runs/{workflow_id}/results', method: 'workflow.results', status: 200 },
  { http: 'POST', path: '/runs/{workflow_id}/cancel', method: 'workflow.cancel', status: 200 },
  { http: 'POST', path: '/runs/{workflow_id}/pause', method: 'workflow.pause', status: 200 },
  { http: 'POST', path: '/runs/{workflow_id}/resume', method: 'workflow.resume', status: 200 },
  {
    http: 'POST',
    path: '/runs/{workflow_id}/retry',
    method: 'workflow.retry',
    status: 201,
    location: '/runs/{workflow_id}',
  },
];

const workflows: readonly RestOperation[] = [
  { http: 'GET', path: '/workflows', method: 'workflow.definitions', status: 200 },
  {
    http: 'POST',
    path: '/workflows',
    method: 'workflow.define',
    body: 'workflow',
    status: 201,
    location: '/workflows/{name}',
  },
  {
    http: 'GET',
    path: '/workflows/{name}',
    method: 'workflow.definitions',
    summary: 'Lists the versions of a workflow that was defined',
    status: 200,
    found: 'items',
  },
  {
    http: 'POST',
    path: '/workflows/{name}/execute',
    method: 'workflow.submit',
    summary: 'Starts a run of a workflow that was defined',
    status: 201,
    location: '/runs/{workflow_id}',
  },
];

const agents: readonly RestOperation[] = [
  { http: 'GET', path: '/agents', method: 'agent.list', status: 200 },
  { http: 'POST', path: '/agents', method: 'agent.create', status: 201, location: '/agents/{name}' },
  { http: 'POST', path: '/agents/discover', method: 'agent.discover', status: 200 },
  { http: 'GET', path: '/agents/{name}', method: 'agent.get', status: 200 },
  {
    http: 'PUT',
    path: '/agents/{name}',
    method: 'agent.update',
    summary: 'Says anew what an agent is; what is left out has its default again',
    status: 200,
    replaces: ['url'],
    echoes: true,
  },
  {
    http: 'PATCH',
    path: '/agents/{name}',
    method: 'agent.update',
    summary: 'Changes what is given of an agent; the rest stays as it is',
    status: 200,
    echoes: true,
  },
  { http: 'DELETE', path: '/agents/{name}', method: 'agent.delete', status: 204 },
  { http: 'GET', path: '/agents/{name}/ping', method: 'agent.ping', status: 200 },
  { http: 'POST', path: '/agents/{name}/ping', method: 'agent.ping', status: 200 },
];

/** The REST API, request by request. The server, the OpenAPI document and the reference are made from it. */
export const restOperations: readonly RestOperation[] = [...agents, ...workflows, ...runs];
