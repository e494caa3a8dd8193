import type { ErrorCode } from '../../core/error-codes.ts';
import type { Json } from '../../core/json.ts';
import { runStatuses } from '../../core/run.ts';
import { Type } from '../../type.ts';
import { method } from '../method.ts';
import {
  anyJson,
  idempotencyKey,
  name,
  oneOrMore,
  page,
  paging,
  params,
  reason,
  span,
  wait,
  workflowId,
} from '../shapes/basic.ts';
import { run, runStatus, runWithTasks, submittedWorkflow, workflowInput } from '../shapes/workflow.ts';
import * as sample from './samples.ts';
import { submitErrors } from './task.ts';

export const submitWorkflowErrors: readonly ErrorCode[] = ['GLZ1002', ...submitErrors];

/** A run with more tasks than this is read on with `task.list`. */
export const MAX_TASKS_SHOWN = 10_000;
/** Characters of results that one answer carries. */
export const MAX_RESULTS = 32 * 1024 * 1024;

const input = Type.Optional(Type.Unsafe<Json>({ description: 'what `${workflow.input…}` reads' }));
const named = Type.Object({ workflow_id: Type.String(), status: runStatus });
const { workflowId: workflow_id } = sample;

export const workflowMethods = {
  'workflow.submit': method({
    summary: 'Starts a run of a workflow',
    description:
      'The workflow is sent along as `workflow`, or named by `name` and `version` as `workflow.define` knows it; ' +
      'without `version` the newest is taken. `workflow_id` names the run, where it is to have a name of your own.',
    role: 'operator',
    params: params({
      workflow: Type.Optional(workflowInput),
      name: Type.Optional(name('of a workflow that was defined')),
      version: Type.Optional(name('the newest, where it is left out')),
      workflow_id: Type.Optional(name('of a run by name')),
      input,
      idempotency_key: idempotencyKey,
    }),
    engine_judges: ['workflow'],
    result: submittedWorkflow,
    errors: [...submitWorkflowErrors, 'GLZ1010'],
    examples: [
      {
        name: 'sent along',
        params: { workflow: sample.workflow },
        result: { workflow_id, status: 'running', tasks: sample.tasks },
      },
      {
        name: 'by name',
        params: { name: 'Research and Summarize', version: '2', input: { topic: 'async' } },
        result: { workflow_id, status: 'running', tasks: sample.tasks },
      },
    ],
  }),

  'workflow.find': method({
    summary: 'Finds the newest run of a workflow with this input that has not ended',
    description:
      'The workflow is sent along or named as for `workflow.submit`. A run is the same where its name, its version, each ' +
      'of its tasks and its input are, whoever started it. It is not found by a `workflow_id`: that names a run already.',
    role: 'operator',
    params: params({
      workflow: Type.Optional(workflowInput),
      name: Type.Optional(name('of a workflow that was defined')),
      version: Type.Optional(name('the newest, where it is left out')),
      input,
    }),
    engine_judges: ['workflow'],
    result: submittedWorkflow,
    errors: ['GLZ1002', 'GLZ1003', 'GLZ1004', 'GLZ1005', 'GLZ1006', 'GLZ1007', 'GLZ1010'],
    examples: [
      {
        name: 'to go on with after a crash',
        params: { workflow: sample.workflow },
        result: { workflow_id, status: 'running', tasks: sample.tasks },
      },
    ],
  }),

  'workflow.status': method({
    summary: 'Tells how far a run and each of its tasks are',
    role: 'viewer',
    params: params({
      workflow_id: workflowId,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_TASKS_SHOWN,
          default: MAX_TASKS_SHOWN,
          description: 'how many tasks to list',
        }),
      ),
    }),
    result: runWithTasks,
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'one of two tasks is done',
        params: { workflow_id },
        result: { ...sample.run, total: 2, open: 1, tasks: [sample.item], next_cursor: null },
      },
    ],
  }),

  'workflow.results': method({
    summary: 'Gives the results of a run by short id, as many as there are',
    description: `Up to ${MAX_RESULTS / 1024 / 1024} MiB in one answer; with \`tasks\` only those that are asked for.`,
    role: 'viewer',
    params: params({
      workflow_id: workflowId,
      tasks: Type.Optional(
        Type.Array(Type.String(), { maxItems: MAX_TASKS_SHOWN, description: 'short ids; all without it' }),
      ),
      wait,
    }),
    result: Type.Object({
      workflow_id: Type.String(),
      status: runStatus,
      results: Type.Record(Type.String(), anyJson),
    }),
    errors: ['GLZ1007', 'GLZ1010'],
    examples: [
      {
        name: 'once it is done',
        params: { workflow_id, wait: 30_000 },
        result: {
          workflow_id,
          status: 'completed',
          results: { 'search-task': { results: [] }, 'summarize-task': { text: 'Nothing was found.' } },
        },
      },
    ],
  }),

  'workflow.list': method({
    summary: 'Lists runs, page by page',
    role: 'viewer',
    params: params({
      status: oneOrMore(runStatuses, 'only runs that are in one of these'),
      name: Type.Optional(name('only runs of this workflow')),
      ...span,
      ...paging,
    }),
    result: page(run),
    errors: [],
    examples: [
      {
        name: 'what runs',
        params: { status: 'running' },
        result: { items: [sample.run], next_cursor: null },
      },
    ],
  }),

  'workflow.cancel': method({
    summary: 'Cancels a run and every task of it that is open',
    role: 'operator',
    params: params({ workflow_id: workflowId, reason }),
    result: Type.Object({
      ...named.properties,
      cancelled: Type.Integer({ minimum: 0, description: 'how many tasks this call cancelled' }),
    }),
    errors: ['GLZ1010'],
    examples: [
      {
        name: 'with two open tasks',
        params: { workflow_id },
        result: { workflow_id, status: 'cancelled', cancelled: 2 },
      },
    ],
  }),

  'workflow.pause': method({
    summary: 'Pauses a run: calls under way go on, nothing new is started',
    role: 'operator',
    params: params({ workflow_id: workflowId }),
    result: named,
    errors: ['GLZ1010', 'GLZ1011'],
    examples: [{ name: 'paused', params: { workflow_id }, result: { workflow_id, status: 'paused' } }],
  }),

  'workflow.resume': method({
    summary: 'Lets a paused run go on',
    role: 'operator',
    params: params({ workflow_id: workflowId }),
    result: named,
    errors: ['GLZ1010', 'GLZ1011'],
    examples: [{ name: 'resumed', params: { workflow_id }, result: { workflow_id, status: 'running' } }],
  }),

  'workflow.retry': method({
    summary: 'Runs a workflow anew from a task on, with what was finished before it',
    description:
      'A new run, with `retry_of`. It takes over the results of the tasks before `from`, which is the first failed one ' +
      'where it is left out. `input` replaces the input of the run.',
    role: 'operator',
    params: params({
      workflow_id: workflowId,
      from: Type.Optional(name('short id of a task')),
      input,
      idempotency_key: idempotencyKey,
    }),
    result: Type.Object({ ...submittedWorkflow.properties, retry_of: Type.String() }),
    errors: [...submitWorkflowErrors, 'GLZ1010', 'GLZ1011'],
    examples: [
      {
        name: 'with another input',
        params: { workflow_id, from: 'summarize-task', input: { tone: 'dry' } },
        result: {
          workflow_id: '0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40',
          status: 'running',
          tasks: sample.tasks,
          retry_of: workflow_id,
        },
      },
    ],
  }),
};
