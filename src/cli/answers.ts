import { GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Client, MethodName } from '../sdk/index.ts';

/** What commands count on in an answer, beside that it is an object. */
const counted: Partial<Record<MethodName, Readonly<Record<string, 'string' | 'list'>>>> = {
  'workflow.submit': { workflow_id: 'string' },
  'workflow.find': { workflow_id: 'string', status: 'string' },
  'workflow.retry': { workflow_id: 'string', status: 'string' },
  'workflow.status': { workflow_id: 'string', status: 'string', tasks: 'list' },
  'workflow.results': { status: 'string' },
  'workflow.list': { items: 'list' },
  'task.submit': { task_id: 'string' },
  'task.status': { task_id: 'string', status: 'string' },
  'task.result': { status: 'string' },
  'task.list': { items: 'list' },
  'protocol.list': { items: 'list' },
  'agent.list': { items: 'list' },
  'agent.get': { name: 'string', url: 'string', implements: 'list' },
};

/** A client of a server that may be anything: what answers in another shape is named, instead of tripped over. */
export function heedful(client: Client, url: string): Client {
  return {
    call: async (method, ...rest) => {
      const answer = await client.call(method, ...rest);
      check(method, answer, url);
      return answer;
    },
    request: (method, params, options) => client.request(method, params, options),
    events: (filter, options) => client.events(filter, options),
    taskResult: async (task_id, options) => {
      const answer = await client.taskResult(task_id, options);
      check('task.result', answer, url);
      return answer;
    },
    runResults: async (workflow_id, options) => {
      const answer = await client.runResults(workflow_id, options);
      check('workflow.results', answer, url);
      return answer;
    },
    close: () => client.close(),
  };
}

function check(method: MethodName, answer: unknown, url: string): void {
  if (!isObject(answer)) throw odd(method, url, 'an object');
  for (const [field, kind] of Object.entries(counted[method] ?? {})) {
    const value = own(answer, field);
    const fits = kind === 'list' ? Array.isArray(value) : typeof value === 'string' && value !== '';
    if (!fits) throw odd(method, url, `an object with the ${kind} ${field}`);
  }
}

function odd(method: MethodName, url: string, expected: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `what ${url} answered to ${method} is in another shape`, {
    reason: `expected was ${expected}`,
    hint: 'is this a Gleitzeit server, and none of a much older or newer version? gleitzeit doctor looks what is there',
  });
}
