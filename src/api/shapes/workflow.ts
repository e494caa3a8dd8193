import { runStatuses } from '../../core/run.ts';
import { Type } from '../../type.ts';
import { count, name, nullable, time, words } from './basic.ts';
import { memberInput, taskItem } from './task.ts';

export const workflowInput = Type.Object(
  {
    workflow_id: Type.Optional(
      nullable(name(''), {
        description: 'names the run; sent again with the same body it answers with the same run',
      }),
    ),
    name: Type.Optional(name('names the definition')),
    version: Type.Optional(nullable(name(''))),
    tasks: Type.Array(memberInput, { minItems: 1 }),
  },
  { title: 'WorkflowInput', additionalProperties: false },
);

export const runStatus = words(runStatuses, { title: 'RunStatus' });

const runFields = {
  workflow_id: Type.String(),
  name: Type.String(),
  version: nullable(Type.String()),
  status: runStatus,
  created_at: time,
  settled_at: nullable(time),
  retry_of: nullable(Type.String(), { description: 'the run that this one repeats' }),
};

export const run = Type.Object(runFields, { title: 'Run' });

export const runWithTasks = Type.Object(
  {
    ...runFields,
    total: Type.Integer({ minimum: 1, description: 'how many tasks it has' }),
    open: count,
    tasks: Type.Array(taskItem, { description: 'in the order of the workflow' }),
    next_cursor: nullable(Type.String(), {
      description:
        'where `task.list` with this `workflow_id` and `order: oldest` goes on; null where all are here',
    }),
  },
  { title: 'RunWithTasks' },
);

export const submittedWorkflow = Type.Object(
  {
    workflow_id: Type.String(),
    status: runStatus,
    tasks: Type.Record(Type.String(), Type.String(), { description: 'short id → `task_id`' }),
  },
  { title: 'SubmittedWorkflow' },
);
