import { type ErrorClass, errorCodes } from '../../core/error-codes.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { lineKinds } from '../../core/ports/router.ts';
import { priorities } from '../../core/priority.ts';
import { taskStatuses } from '../../core/task.ts';
import { Type } from '../../type.ts';
import { anyJson, count, name, nullable, time, words } from './basic.ts';
import { errorShape } from './error.ts';

const errorClasses = [...new Set(Object.values(errorCodes).map((entry) => entry.class))];

const duration = Type.Union([Type.Number({ minimum: 0 }), Type.String()], {
  description: 'seconds, or text with its unit: `30s`, `250ms`, `PT30S`',
});

const retryInput = Type.Object(
  {
    max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 3 })),
    backoff: Type.Optional(words(['fixed', 'linear', 'exponential'], { default: 'exponential' })),
    initial_delay: Type.Optional(duration),
    multiplier: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, default: 2 })),
    max_delay: Type.Optional(duration),
    jitter: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
    max_total: Type.Optional(nullable(duration)),
    retry_on: Type.Optional(Type.Array(Type.Unsafe<ErrorClass>({ type: 'string', enum: errorClasses }))),
  },
  { title: 'RetryInput', additionalProperties: false },
);

const none = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: 0,
    description: 'empty: tasks that depend on each other are submitted together, by `workflow.submit`',
  }),
);

/** What a lone task may say. The engine reads it, and says of everything that is wrong where and why. */
export const loneTaskFields = {
  id: Type.Optional(name('for people; the task is known by the `task_id` in the answer')),
  name: Type.Optional(name('for people')),
  protocol: Type.Optional(name('such as `web-search/v1`; only where no `agent` is named')),
  method: Type.Optional(name('a method of the protocol')),
  agent: Type.Optional(
    name('the agent that is to do it, by its name in the registry, instead of a protocol and a method'),
  ),
  input: Type.Optional(
    Type.Unsafe<JsonObject | string>({
      type: ['object', 'string'],
      description:
        'what the agent is told, as text or as an object; instead of `params`, where an `agent` is named',
    }),
  ),
  params: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      description:
        'judged by the protocol; in a workflow they may hold references such as `${search.result.items}`',
    }),
  ),
  dependencies: none,
  needs: none,
  priority: Type.Optional(words(priorities, { default: 'normal' })),
  retry_config: Type.Optional(retryInput),
  timeout: Type.Optional(duration),
  total_timeout: Type.Optional(nullable(duration)),
  on_failure: Type.Optional(
    words(['skip', 'continue'], {
      default: 'skip',
      description: 'what becomes of the tasks that depend on it when it fails',
    }),
  ),
};

const fixed = { additionalProperties: false };

/** A task calls a method of a protocol, or one agent. */
const calls = {
  anyOf: [{ required: ['protocol', 'method'] }, { required: ['agent'] }],
};

export const taskInput = Type.Object(loneTaskFields, { title: 'TaskInput', ...fixed, ...calls });

const ids = Type.Optional(
  Type.Array(Type.String(), { description: 'short ids to wait for; references count whether listed or not' }),
);

export const memberInput = Type.Object(
  {
    ...loneTaskFields,
    id: Type.Optional(name('what others of the workflow know it by; without one its `name` is')),
    dependencies: ids,
    needs: ids,
  },
  { title: 'WorkflowTaskInput', ...fixed, ...calls },
);

export const taskStatus = words(taskStatuses, { title: 'TaskStatus' });

const attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1 }),
    started_at: time,
    ended_at: nullable(time, { description: 'null while it runs' }),
    provider: nullable(Type.String()),
    error: nullable(errorShape),
  },
  { title: 'Attempt' },
);

const outsideKinds = ['input', 'auth', 'notification'] as const;

const waitingFor = Type.Object(
  {
    kind: words(
      ['dependencies', 'paused', 'provider', 'slot', 'retry', ...outsideKinds, 'bridge', ...lineKinds],
      {
        description:
          '`paused`: its run or the queue is; `provider`: none serves the protocol in `key`; `slot`: it begins when the engine has a slot for its protocol; ' +
          '`input`, `auth`: someone has to answer, or to grant something, by `task.respond`; `notification`: a service is to call back; ' +
          '`bridge`: a bridge is to make the call to the provider in `key`, and has not begun; ' +
          '`concurrency`, `rate`: too many calls at once or in a while, at what `key` names; `breaker`, `unhealthy`, `drained`: the ' +
          'service there fails, does not answer when asked how it is, or was taken out until it is resumed',
      },
    ),
    key: nullable(Type.String()),
    until: nullable(time, {
      description:
        'when it goes on by itself, where that is known; for those in a line, when the first of them may, at the earliest',
    }),
    ask: Type.Optional(
      Type.Unsafe<Json>({
        description:
          'what is asked, in the words of the service; only for `input`, `auth` and `notification`',
      }),
    ),
    attempt: Type.Optional(
      Type.Integer({ minimum: 1, description: 'the attempt that asks it, for `task.respond`' }),
    ),
  },
  { title: 'WaitingFor', description: 'what an open task needs before it goes on' },
);

const told = {
  attempt: Type.Integer({ minimum: 1 }),
  progress: nullable(Type.Number(), { description: 'how far it has come' }),
  total: nullable(Type.Number(), { description: 'of how much, where that is known' }),
  message: nullable(Type.String(), { description: 'in its own words' }),
};

const progress = Type.Object(
  {
    ...told,
    text: nullable(Type.String(), {
      description: 'the end of what it has put out so far; the events `task:progress` tell it piece by piece',
    }),
    at: time,
  },
  {
    title: 'TaskProgress',
    description:
      'what the attempt that runs has told of itself; no part of the result, and gone with the attempt',
  },
);

const progressItem = Type.Object({ ...told, at: time }, { title: 'TaskProgressItem' });

const retryConfig = Type.Object(
  {
    max_attempts: Type.Integer(),
    backoff: words(['fixed', 'linear', 'exponential']),
    initial_delay: Type.Number(),
    multiplier: Type.Number(),
    max_delay: Type.Number(),
    jitter: Type.Number(),
    max_total: nullable(Type.Number()),
    retry_on: Type.Array(Type.Unsafe<ErrorClass>({ type: 'string', enum: errorClasses })),
  },
  { title: 'RetryConfig', description: 'times in seconds' },
);

export const task = Type.Object(
  {
    task_id: Type.String(),
    id: Type.String({ description: 'the short id inside the workflow; of a task alone its `task_id`' }),
    workflow_id: nullable(Type.String(), { description: 'null for a task submitted alone' }),
    name: Type.String(),
    protocol: Type.String(),
    method: Type.String(),
    agent: nullable(Type.String(), {
      description: 'the one agent that is to do it; null where any provider may',
    }),
    params: anyJson,
    dependencies: Type.Array(Type.String()),
    priority: words(priorities),
    retry_config: retryConfig,
    timeout: Type.Number({ description: 'seconds for an attempt' }),
    total_timeout: nullable(Type.Number()),
    on_failure: words(['skip', 'continue']),
    created_at: time,
    settled_at: nullable(time),
    status: taskStatus,
    attempt_count: count,
    attempts: Type.Array(attempt, { description: 'the newest hundred, oldest first' }),
    error: nullable(errorShape),
    waiting_for: nullable(waitingFor),
    progress: nullable(progress),
  },
  { title: 'Task', description: 'secrets are masked' },
);

/** A task in a list: what can be told without reading what it was given. */
export const taskItem = Type.Object(
  {
    task_id: Type.String(),
    id: Type.String(),
    workflow_id: nullable(Type.String()),
    protocol: Type.String(),
    status: taskStatus,
    priority: words(priorities),
    attempt_count: count,
    created_at: time,
    settled_at: nullable(time),
    error: nullable(errorShape),
    progress: nullable(progressItem),
  },
  { title: 'TaskItem' },
);

export const submittedTask = Type.Object(
  { task_id: Type.String(), status: taskStatus },
  { title: 'SubmittedTask' },
);
