import type { Shape } from '../../api/method.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';
import { Type } from '../../type.ts';

/** What the zones say to each other. Neither side has other methods, and no name begins with `rpc.`. */
export const EXECUTE_TASK = 'execute_task';
export const GET_ASYNC_TASK_RESULT = 'get_async_task_result';

const text = (description: string) => Type.String({ description });
const shortText = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME, description });

/** A caller that waits for longer than this asks again with `get_async_task_result`. */
export const MAX_BUDGET_MS = 15 * 60_000;

const correlationId = (description: string) => Type.String({ maxLength: MAX_NAME, description });

const taskId = shortText('what the task is asked for by');

/** Members that are not named here are handed on to the task as they are. */
export const executeTaskParams = Type.Object({
  channel: shortText('where the conversation is'),
  text: text('what was said'),
  bot_token: Type.String({ minLength: 1, description: 'what the reply is posted with', 'x-secret': true }),
  correlation_id: Type.Optional(correlationId('stands in the logs of both zones, and in `data` of an error')),
  thread_ts: Type.Optional(text('the thread of the conversation')),
  team_id: Type.Optional(text('the workspace')),
  user_id: Type.Optional(text('who asked')),
  attachments: Type.Optional(
    Type.Array(Type.Unsafe<JsonObject>({ type: 'object' }), {
      description: 'descriptors of what came along',
    }),
  ),
  idempotency_key: Type.Optional(
    shortText(
      'sent again with the same params by the same caller, under whatever id, the task is not started again',
    ),
  ),
  budget_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BUDGET_MS,
      description: 'how long the caller waits for the result before it is told `accepted`',
    }),
  ),
});

export const getAsyncTaskResultParams = Type.Object({
  task_id: taskId,
  correlation_id: Type.Optional(correlationId('as with `execute_task`')),
  budget_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BUDGET_MS,
      description:
        'how long the caller waits before it is told `pending`; without it the answer comes at once',
    }),
  ),
});

/** Other members are whatever the caller needs downstream. */
const success = Type.Object({ status: Type.Literal('success'), response_text: Type.String() });
const accepted = Type.Object({ status: Type.Literal('accepted'), task_id: taskId });
const pending = Type.Object({ status: Type.Literal('pending'), task_id: Type.Optional(taskId) });

export const executeTaskResult = Type.Union([success, accepted]);
export const getAsyncTaskResultResult = Type.Union([success, pending]);

export type ExecuteTaskParams = Shape<typeof executeTaskParams> & {
  readonly [member: string]: Json | undefined;
};
export type GetAsyncTaskResultParams = Shape<typeof getAsyncTaskResultParams>;

export type Success = Shape<typeof success> & { readonly [member: string]: Json };
export type Accepted = Shape<typeof accepted>;
export type Pending = Shape<typeof pending>;

/** What each method takes and gives. */
export type ZoneMethods = {
  readonly [EXECUTE_TASK]: { readonly params: ExecuteTaskParams; readonly result: Success | Accepted };
  readonly [GET_ASYNC_TASK_RESULT]: {
    readonly params: GetAsyncTaskResultParams;
    readonly result: Success | Pending;
  };
};
export type ZoneMethod = keyof ZoneMethods;
export type ZoneResult<Method extends ZoneMethod = ZoneMethod> = ZoneMethods[Method]['result'];

export const zoneMethods = {
  [EXECUTE_TASK]: {
    summary: 'Runs a task, and answers with its result or with what it can be asked for by',
    params: executeTaskParams,
    result: executeTaskResult,
  },
  [GET_ASYNC_TASK_RESULT]: {
    summary: 'Tells what became of a task that was accepted',
    params: getAsyncTaskResultParams,
    result: getAsyncTaskResultResult,
  },
} as const;

export function isZoneMethod(name: string): name is ZoneMethod {
  return Object.hasOwn(zoneMethods, name);
}
