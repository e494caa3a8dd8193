import type { ParamsOf } from '../../api/methods.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { renewWorkflow } from '../../core/function-call.ts';
import type { JsonObject } from '../../core/json.ts';
import { noRun } from '../../core/not-there.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { listOf, present, spanOf } from '../queries.ts';
import { runAnswer } from '../results.ts';
import { inside } from '../thrown.ts';
import { runItem, submittedRun, type TaskItem, taskItem } from '../views.ts';
import { waiting } from '../waiting.ts';
import { traceOf } from './task.ts';

type Names = Exclude<Family<'workflow'>, 'workflow.define' | 'workflow.definitions'>;

export function workflowHandlers(parts: ControlParts): Handlers<Names> {
  const { stopping, engine, reads, definitions, functions } = parts;
  const renewed = (workflow: unknown) => renewWorkflow(workflow, functions());
  return {
    'workflow.submit': async ({ input, idempotency_key, ...params }, call) => {
      const { workflow, at } = await workflowOf(params, definitions);
      const options = { ...present({ input, idempotency_key }), ...traceOf(call) };
      return inside(at, async () => submittedRun(await engine.submitWorkflow(renewed(workflow), options)));
    },

    'workflow.find': async ({ input, ...params }) => {
      const { workflow, at } = await workflowOf(params, definitions);
      return inside(at, async () => submittedRun(await engine.findUnfinished(renewed(workflow), input)));
    },

    'workflow.status': async ({ workflow_id, limit = SHOWN }) => {
      const found = await reads.run(workflow_id);
      if (found === null) throw noRun(workflow_id);
      const { run } = found;
      const { tasks, next_cursor } = await tasksOf(reads, workflow_id, limit);
      return { ...runItem(run), total: run.total, open: run.open, tasks, next_cursor };
    },

    'workflow.results': async ({ workflow_id, tasks, wait }, call) => {
      const outcome = await waiting(wait, call, stopping, (ms, signal) =>
        engine.runResult(workflow_id, ms, signal),
      );
      if (outcome === null) throw noRun(workflow_id);
      return runAnswer(reads, outcome, tasks);
    },

    'workflow.list': async ({ status, name, ...span }) => {
      const words = present({ status: listOf(status), name });
      const { items, next_cursor } = await reads.runs({ ...words, ...spanOf(span) });
      return { items: items.map(runItem), next_cursor };
    },

    'workflow.cancel': async ({ workflow_id, reason = null }) => {
      return { workflow_id, ...(await engine.cancelRun(workflow_id, reason)) };
    },

    'workflow.pause': async ({ workflow_id }) => {
      return { workflow_id, ...(await engine.pauseRun(workflow_id)) };
    },

    'workflow.resume': async ({ workflow_id }) => {
      return { workflow_id, ...(await engine.resumeRun(workflow_id)) };
    },

    'workflow.retry': async ({ workflow_id, from, input, idempotency_key }, call) => {
      const options = { ...present({ from, input, idempotency_key }), ...traceOf(call) };
      return { ...submittedRun(await engine.retryRun(workflow_id, options)), retry_of: workflow_id };
    },
  };
}

const SHOWN = 10_000;
const PAGE = 1000;

/** Page by page, so that a large run is no long silence for everybody else. */
async function tasksOf(
  reads: Pick<StoreReads, 'tasks'>,
  workflow_id: string,
  limit: number,
): Promise<{ tasks: TaskItem[]; next_cursor: string | null }> {
  const tasks: TaskItem[] = [];
  let cursor: string | null = null;
  do {
    const page = await reads.tasks({
      workflow_id,
      order: 'oldest',
      limit: Math.min(PAGE, limit - tasks.length),
      ...(cursor === null ? {} : { cursor }),
    });
    tasks.push(...page.items.map(taskItem));
    cursor = page.next_cursor;
  } while (cursor !== null && tasks.length < limit);
  return { tasks, next_cursor: cursor };
}

type Given = Pick<ParamsOf<'workflow.submit'>, 'workflow' | 'name' | 'version' | 'workflow_id'>;

/** Sent along, or by name. `at` is where it stands in the params. */
async function workflowOf(
  { workflow, name, version, workflow_id }: Given,
  definitions: ControlParts['definitions'],
): Promise<{ workflow: unknown; at: string }> {
  if (workflow !== undefined) {
    const [stray] = Object.keys(present({ name, version, workflow_id }));
    if (stray === undefined) return { workflow, at: '/workflow' };
    throw misplaced(
      stray,
      'a workflow that is sent along is named inside of it',
      `write it as workflow.${stray}`,
    );
  }
  if (name === undefined)
    throw misplaced('workflow', 'is missing', 'send a workflow, or the name of one that was defined');
  const defined: JsonObject = await definitions.find(name, version);
  return { workflow: workflow_id === undefined ? defined : { ...defined, workflow_id }, at: '' };
}

function misplaced(field: string, reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason, hint });
}
