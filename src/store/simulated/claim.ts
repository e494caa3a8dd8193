import {
  CLAIM_INPUT_BUDGET,
  type ClaimedTask,
  type ClaimRequest,
  type TaskInput,
} from '../../core/ports/store.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import type { SimulatedData } from './data.ts';
import { rowsOf } from './source.ts';

export type Claim = { readonly claimed: readonly ClaimedTask[]; readonly lease_lost: boolean };

export const noClaim: Claim = { claimed: [], lease_lost: false };

/** Takes the best claimable tasks of the lanes for an engine the store knows. */
export function claim(data: SimulatedData, request: ClaimRequest): Claim {
  if (!data.engines.has(request.owner)) return { claimed: [], lease_lost: true };
  const best = claimable(data, request.lanes).slice(0, request.limit);
  let budget = CLAIM_INPUT_BUDGET;
  const claimed = best.map((before) => {
    data.putTask({ ...before, owner: request.owner, fence: before.fence + 1 });
    const carried = carry(data, before.task_id, budget);
    budget -= carried.size;
    return carried.claimed;
  });
  return { claimed, lease_lost: false };
}

function claimable(data: SimulatedData, lanes: readonly string[]): TaskRow[] {
  const rows = [...new Set(lanes)].flatMap((lane) => rowsOf(data, data.claimableOfLane.ids(lane)));
  return rows.sort((a, b) => a.rank - b.rank || data.orderOf(a.task_id) - data.orderOf(b.task_id));
}

function carry(data: SimulatedData, task_id: string, budget: number): { claimed: ClaimedTask; size: number } {
  const task = data.tasks.get(task_id) as TaskRow;
  const body = data.bodies.get(task_id) as TaskBody;
  const inputs = inputsOf(data, body);
  const size = Object.values(inputs).reduce((sum, input) => sum + (input.result?.length ?? 0), 0);
  const fits = size <= budget;
  const run_input = body.uses_input ? (data.inputs.get(task.workflow_id ?? '') ?? null) : null;
  return { claimed: { task, body, inputs: fits ? inputs : null, run_input }, size: fits ? size : 0 };
}

/** What the params refer to: status and result of each task by its short id. */
export function inputsOf(data: SimulatedData, body: TaskBody): Readonly<Record<string, TaskInput>> {
  const inputs = Object.entries(body.inputs).map(([id, task_id]): [string, TaskInput] | null => {
    const task = data.tasks.get(task_id);
    if (task === undefined) return null;
    return [id, { status: task.status, result: data.results.get(task_id)?.result ?? null }];
  });
  return Object.fromEntries(inputs.filter((entry) => entry !== null));
}
