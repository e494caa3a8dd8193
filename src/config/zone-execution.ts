import type { Static } from 'typebox';
import { Type } from '../type.ts';
import type { Draft } from './draft.ts';
import { duration, item, text } from './words.ts';

const DAY_S = 24 * 3600;

/** What an execution zone goes by. */
export const executionKeys = {
  execute: Type.Optional(
    item('what `execute_task` becomes here; without it there is no execution zone', {
      workflow: Type.Optional(text('a workflow by its name; its input is the params of the task')),
      version: Type.Optional(text('its version; the newest unless given')),
      reply: Type.Optional(
        text('the step whose result is the reply; the last that no other waits for, unless given'),
      ),
      protocol: Type.Optional(text('instead of a workflow: a protocol, one method of which is called')),
      method: Type.Optional(text('the method; its params are those of the task')),
      agent: Type.Optional(text('instead of both: an agent by its name, which is told the text')),
    }),
  ),
  path: text('where the contract is served, by POST and over a WebSocket', {
    default: '/zone',
    pattern: '^/[\\w./-]*$',
    'x-expected': 'a path such as /zone',
  }),
  agentcore: Type.Enum(['off', 'keys', 'open'], {
    description:
      'serve what a container of AWS Bedrock AgentCore has to, `POST /invocations` and `GET /ping`; `open` asks for no key, for where nobody but the runtime can reach it',
    default: 'off',
  }),
  budget: duration(
    'how long a caller waits for the result before it is told `accepted`, where it does not say',
    '10s',
    [0, 900],
  ),
  timeout: duration(
    'how long a task may take altogether; where it is a run of a workflow, each step from when it may begin',
    '1h',
    [0.1, 30 * DAY_S],
  ),
  retention: duration('how long a result can be asked for after its task has ended', '24h', [
    1,
    3650 * DAY_S,
  ]),
};

const executionSchema = Type.Object(executionKeys);
export type ExecutionKeys = Readonly<Static<typeof executionSchema>>;

type Written = { readonly zone: ExecutionKeys; readonly retention: { readonly days: number } };

const taken = ['/rpc', '/events', '/health', '/ready', '/metrics', '/openrpc.json', '/invocations', '/ping'];

/** What a schema cannot say of an execution zone. Returns what is odd. */
export function checkExecution({ zone, retention }: Written, draft: Draft): string[] {
  const { execute, path } = zone;
  if (taken.includes(path) || path.startsWith('/api/') || path.startsWith('/notify'))
    draft.report({
      path: ['zone', 'path'],
      part: 'value',
      message: 'something else is served there',
      hint: 'write another, such as /zone',
    });
  if (execute === undefined) return [];
  checkTarget(execute, draft);
  return zone.retention > retention.days * DAY_S
    ? ['zone.retention is longer than retention.days: results are gone when their runs are']
    : [];
}

function checkTarget(execute: NonNullable<ExecutionKeys['execute']>, draft: Draft): void {
  const { workflow, protocol, method, agent, version, reply } = execute;
  const report = (message: string, hint: string) =>
    draft.report({ path: ['zone', 'execute'], part: 'value', message, hint });
  const named = [workflow, protocol ?? method, agent].filter((one) => one !== undefined).length;
  if (named !== 1)
    report('must name one of workflow, protocol with method, and agent', 'such as workflow: reply');
  else if ((protocol === undefined) !== (method === undefined))
    report('protocol and method belong together', 'give both, or workflow');
  else if (workflow === undefined && (version !== undefined || reply !== undefined))
    report('version and reply are for workflows', 'leave them out');
}
