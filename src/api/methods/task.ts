import type { ErrorCode } from '../../core/error-codes.ts';
import type { Json } from '../../core/json.ts';
import { MAX_TASKS_PER_CALL } from '../../core/limits.ts';
import { priorities } from '../../core/priority.ts';
import { defaultRetry } from '../../core/retry.ts';
import { taskStatuses } from '../../core/task.ts';
import { Type } from '../../type.ts';
import { method } from '../method.ts';
import {
  anyJson,
  idempotencyKey,
  oneOrMore,
  page,
  paging,
  params,
  reason,
  span,
  taskId,
  time,
  wait,
  workflowId,
} from '../shapes/basic.ts';
import { errorShape } from '../shapes/error.ts';
import { loneTaskFields, submittedTask, task, taskInput, taskItem, taskStatus } from '../shapes/task.ts';
import * as sample from './samples.ts';

/** What can be wrong with a task that is sent. */
export const submitErrors: readonly ErrorCode[] = [
  'GLZ1001',
  'GLZ1003',
  'GLZ1004',
  'GLZ1005',
  'GLZ1006',
  'GLZ1007',
  'GLZ1009',
  'GLZ1014',
  'GLZ3009',
  'GLZ3010',
];

const entry = Type.Union([
  taskInput,
  Type.Object({ task: taskInput, idempotency_key: idempotencyKey }, { additionalProperties: false }),
]);

const outcome = Type.Object({
  task_id: Type.String(),
  status: taskStatus,
  result: Type.Optional(anyJson),
  error: Type.Optional(errorShape),
  stored_at: Type.Optional(time),
});

export const taskMethods = {
  'task.submit': method({
    summary: 'Accepts a task',
    description:
      'The task is given flat or under `task`. The answer comes when the task is durable: from then on it survives ' +
      'whatever happens. Tasks that depend on each other are submitted together, by `workflow.submit`.',
    role: 'operator',
    params: params({ task: Type.Optional(taskInput), idempotency_key: idempotencyKey, ...loneTaskFields }),
    engine_judges: ['task', ...Object.keys(loneTaskFields), '*'],
    result: submittedTask,
    errors: submitErrors,
    examples: [
      {
        name: 'flat',
        params: sample.call,
        result: { task_id: sample.taskId, status: 'queued' },
      },
      {
        name: 'under task, with a key against sending it twice',
        params: { task: { ...sample.call, priority: 'high' }, idempotency_key: 'search-2026-01-05' },
        result: { task_id: sample.taskId, status: 'queued' },
      },
      {
        name: 'for one agent',
        params: { agent: 'Translator', input: 'Good morning' },
        result: { task_id: sample.taskId, status: 'queued' },
      },
    ],
  }),

  'task.submit_many': method({
    summary: 'Accepts many tasks, all of them or none',
    description:
      'An entry is a task, or `{task, idempotency_key}`. The answers are in the order of the tasks. Where one of them ' +
      'is refused nothing is accepted: `field` begins with its place, `/tasks/3/…`, and `details.problems` has what is ' +
      'wrong with each of up to 20, by its `index`.',
    role: 'operator',
    params: params({ tasks: Type.Array(entry, { maxItems: MAX_TASKS_PER_CALL }) }),
    engine_judges: ['tasks'],
    result: Type.Object({ tasks: Type.Array(submittedTask) }),
    errors: submitErrors,
    examples: [
      {
        name: 'two tasks',
        params: { tasks: [sample.call, { task: sample.call, idempotency_key: 'search-2' }] },
        result: {
          tasks: [
            { task_id: sample.taskId, status: 'queued' },
            { task_id: sample.otherTaskId, status: 'queued' },
          ],
        },
      },
    ],
  }),

  'task.status': method({
    summary: 'Tells everything about a task but its result',
    role: 'viewer',
    params: params({ task_id: taskId }),
    result: task,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'a task that completed',
        params: { task_id: sample.taskId },
        result: {
          task_id: sample.taskId,
          id: sample.taskId,
          workflow_id: null,
          name: 'search',
          ...sample.call,
          agent: null,
          dependencies: [],
          priority: 'normal',
          retry_config: defaultRetry,
          timeout: 30,
          total_timeout: null,
          on_failure: 'skip',
          created_at: sample.at,
          settled_at: sample.later,
          status: 'completed',
          attempt_count: 1,
          attempts: [
            { attempt: 1, started_at: sample.at, ended_at: sample.later, provider: 'search-1', error: null },
          ],
          error: null,
          waiting_for: null,
          progress: null,
        },
      },
    ],
  }),

  'task.result': method({
    summary: 'Tells how a task ended, and waits for it where asked to',
    description:
      'A task that did not succeed is a result with `error` in it. While the task is open, and when `wait` runs out, ' +
      'the answer is `{task_id, status}`.',
    role: 'viewer',
    params: params({ task_id: taskId, wait }),
    result: outcome,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'completed',
        params: { task_id: sample.taskId, wait: 30_000 },
        result: {
          task_id: sample.taskId,
          status: 'completed',
          result: { results: [{ title: 'The Python Tutorial' }] },
          stored_at: sample.later,
        },
      },
      {
        name: 'still open',
        params: { task_id: sample.taskId },
        result: { task_id: sample.taskId, status: 'executing' },
      },
    ],
  }),

  'task.list': method({
    summary: 'Lists tasks, page by page',
    role: 'viewer',
    params: params({
      status: oneOrMore(taskStatuses, 'only tasks that are in one of these'),
      priority: oneOrMore(priorities, 'only tasks of these priorities'),
      workflow_id: Type.Optional(workflowId),
      ...span,
      ...paging,
    }),
    result: page(taskItem),
    errors: [],
    examples: [
      {
        name: 'what failed last',
        params: { status: 'failed', limit: 10 },
        result: { items: [], next_cursor: null },
      },
      {
        name: 'the tasks of a run',
        params: { workflow_id: sample.workflowId, order: 'oldest' },
        result: { items: [sample.item], next_cursor: null },
      },
    ],
  }),

  'task.cancel': method({
    summary: 'Cancels a task',
    description:
      'A call that is under way is told to stop. What has settled stays as it is, which is no error: `cancelled` says ' +
      'whether this call did it.',
    role: 'operator',
    params: params({ task_id: taskId, reason }),
    result: Type.Object({ task_id: Type.String(), status: taskStatus, cancelled: Type.Boolean() }),
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'with a reason',
        params: { task_id: sample.taskId, reason: 'no longer needed' },
        result: { task_id: sample.taskId, status: 'cancelled', cancelled: true },
      },
    ],
  }),

  'task.retry': method({
    summary: 'Runs a task that failed or was cancelled once more, in its run',
    description: 'Tasks that were skipped because of it wait for it again.',
    role: 'operator',
    params: params({ task_id: taskId }),
    result: submittedTask,
    errors: ['GLZ1010', 'GLZ1011'],
    examples: [
      {
        name: 'once more',
        params: { task_id: sample.taskId },
        result: { task_id: sample.taskId, status: 'queued' },
      },
    ],
  }),

  'task.respond': method({
    summary: 'Answers what a task asks',
    description:
      'A task that is `input_required` tells in `task.status`, under `waiting_for`, what it asks and which `attempt` ' +
      'asks it. The answer is handed to the service, and the task goes on; that uses up none of its attempts. A task ' +
      'that waits for a notification is answered in the same way. The first answer counts: the same one again is no ' +
      'error, another one is refused. With `attempt` it is certain that an answer which is sent twice is not taken for ' +
      'the next question. What grants access (`auth`) is sealed in the store.',
    role: 'operator',
    params: params({
      task_id: taskId,
      response: Type.Unsafe<Json>({ description: 'any JSON, of 64 KiB at most, as the question wants it' }),
      attempt: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'the attempt that asked; whichever asks now where it is left out',
        }),
      ),
      token: Type.Optional(
        Type.String({
          description: 'where it is given it must be the one the service was to prove itself by',
        }),
      ),
    }),
    result: submittedTask,
    errors: ['GLZ1005', 'GLZ1007', 'GLZ1010', 'GLZ1011', 'GLZ3010'],
    examples: [
      {
        name: 'an answer to the question of the first attempt',
        params: { task_id: sample.taskId, attempt: 1, response: 'the second one' },
        result: { task_id: sample.taskId, status: 'queued' },
      },
    ],
  }),
};
