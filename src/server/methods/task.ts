import type { ParamsOf } from '../../api/methods.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { renewTask } from '../../core/function-call.ts';
import { isObject, type Json } from '../../core/json.ts';
import { MAX_TASKS_PER_CALL } from '../../core/limits.ts';
import { noTask } from '../../core/not-there.ts';
import { planEach } from '../../engine/place.ts';
import { requireTasks, type SubmitOptions } from '../../engine/submit.ts';
import { viewTask } from '../../engine/views.ts';
import type { Call, Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { listOf, present, spanOf } from '../queries.ts';
import { resultAnswer } from '../results.ts';
import { inside } from '../thrown.ts';
import { submittedTask, taskItem } from '../views.ts';
import { waiting } from '../waiting.ts';

export function taskHandlers(parts: ControlParts): Handlers<Family<'task'>> {
  const { stopping, engine, reads, router, functions } = parts;
  return {
    'task.submit': async (params, call) => {
      const { task, at, ...options } = taskOf(params);
      return inside(at, async () =>
        submittedTask(await engine.submit(renewTask(task, functions()), { ...options, ...traceOf(call) })),
      );
    },

    'task.submit_many': async ({ tasks }, call) => {
      const { traceparent } = traceOf(call);
      const given = requireTasks(tasks).slice(0, MAX_TASKS_PER_CALL + 1);
      const entries = planEach(given, (entry) => {
        const { task, ...options } = entryOf(entry);
        return { ...options, task: renewTask(task, functions()), traceparent };
      });
      const submitted = await engine.submitMany(entries);
      return { tasks: submitted.map(submittedTask) };
    },

    'task.status': async ({ task_id }) => {
      const found = await reads.task(task_id);
      if (found === null) throw noTask(task_id);
      return viewTask(found, router, engine.seen);
    },

    'task.result': async ({ task_id, wait }, call) => {
      const outcome = await waiting(wait, call, stopping, (ms, signal) => engine.result(task_id, ms, signal));
      if (outcome === null) throw noTask(task_id);
      return resultAnswer(outcome);
    },

    'task.list': async ({ status, priority, workflow_id, ...span }) => {
      const words = present({ status: listOf(status), priority: listOf(priority), workflow_id });
      const { items, next_cursor } = await reads.tasks({ ...words, ...spanOf(span) });
      return { items: items.map(taskItem), next_cursor };
    },

    'task.cancel': async ({ task_id, reason = null }) => {
      return { task_id, ...(await engine.cancelTask(task_id, reason)) };
    },

    'task.retry': async ({ task_id }) => {
      return { task_id, ...(await engine.retryTask(task_id)) };
    },

    'task.respond': async ({ task_id, ...answer }) => {
      const { status } = await engine.responses.respond(task_id, answer);
      return { task_id, status };
    },
  };
}

type GivenTask = SubmitOptions & { readonly task: unknown; readonly at: string };

/** Flat, or under `task`; nothing can be both. */
function taskOf({ idempotency_key, ...given }: ParamsOf<'task.submit'>): GivenTask {
  const key = present({ idempotency_key });
  if (!Object.hasOwn(given, 'task')) return { task: given, at: '', ...key };
  const { task, ...others } = given;
  const [stray] = Object.keys(others);
  if (stray === undefined) return { task, at: '/task', ...key };
  throw new GleitzeitError('GLZ1012', `${stray}: stands beside task`, {
    field: stray,
    reason: 'a task is given flat or under `task`, not both',
    hint: `move "${stray.slice(0, 80)}" into task`,
  });
}

/** What it is instead of a task is the engine's to say, with its place. */
function entryOf(entry: unknown): { readonly task: unknown } {
  return isObject(entry) && Object.hasOwn(entry, 'task')
    ? { ...entry, task: entry['task'] as Json }
    : { task: entry };
}

/** The trace that a caller is in goes on in its tasks. */
export function traceOf({ connection }: Call): { readonly traceparent?: string } {
  const { traceparent } = connection.headers;
  return typeof traceparent === 'string' ? { traceparent } : {};
}
