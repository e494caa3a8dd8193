import { GleitzeitError } from './errors.ts';

const hint = 'ids are answered by submit; finished runs are removed after their retention time';

export function noTask(task_id: string): GleitzeitError {
  return notThere('task', 'task_id', task_id);
}

export function noRun(workflow_id: string): GleitzeitError {
  return notThere('run', 'workflow_id', workflow_id);
}

function notThere(what: string, field: string, id: string): GleitzeitError {
  const reason = `nothing is known under "${id}"`;
  return new GleitzeitError('GLZ1010', `there is no ${what} ${id}`, { field, reason, hint });
}
