import { takenOf } from '../../core/claim-bounds.ts';
import { ClaimLoad } from '../../core/claim-load.ts';
import type { ClaimedTask, ClaimRequest, TaskInput, TaskPayloads } from '../../core/ports/store.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import type { SimulatedData } from './data.ts';
import { rowsOf } from './source.ts';

export type Claim = { readonly claimed: readonly ClaimedTask[]; readonly lease_lost: boolean };

export const noClaim: Claim = { claimed: [], lease_lost: false };

/** Takes the best claimable tasks of the lanes for an engine the store knows. */
export function claim(data: SimulatedData, request: ClaimRequest): Claim {
  if (!data.engines.has(request.owner)) return { claimed: [], lease_lost: true };
  const best = takenOf(inLine(data, request.lanes), request, ({ lane }) => lane);
  const load = new ClaimLoad();
  const claimed = best.map((before) => {
    data.putTask({ ...before, owner: request.owner, fence: before.fence + 1 });
    return carry(data, before.task_id, load);
  });
  return { claimed, lease_lost: false };
}

/** What may be claimed of these lanes, best first. */
export function inLine(data: SimulatedData, lanes: readonly string[]): TaskRow[] {
  const rows = [...new Set(lanes)].flatMap((lane) => rowsOf(data, data.claimableOfLane.ids(lane)));
  return rows.sort((a, b) => a.rank - b.rank || data.orderOf(a.task_id) - data.orderOf(b.task_id));
}

function carry(data: SimulatedData, task_id: string, load: ClaimLoad): ClaimedTask {
  const task = data.tasks.get(task_id) as TaskRow;
  const body = data.bodies.get(task_id) as TaskBody;
  const payloads = payloadsOf(data, task, body);
  const { params, inputs, run_input } = payloads;
  const own = Object.values(inputs).reduce((sum, { result }) => sum + (result?.length ?? 0), params.length);
  const run = run_input === null ? null : { workflow_id: task.workflow_id ?? '', input: run_input.length };
  return { task, body, payloads: load.takes(own, run) ? payloads : null };
}

export function payloadsOf(data: SimulatedData, { workflow_id }: TaskRow, body: TaskBody): TaskPayloads {
  const run_input = body.uses_input ? (data.inputs.get(workflow_id ?? '') ?? null) : null;
  return { params: body.params, inputs: inputsOf(data, body), run_input };
}

/** What params refer to: status and result of each task by its short id. */
function inputsOf(data: SimulatedData, body: TaskBody): Readonly<Record<string, TaskInput>> {
  const inputs = Object.entries(body.inputs).map(([id, task_id]): [string, TaskInput] | null => {
    const task = data.tasks.get(task_id);
    if (task === undefined) return null;
    return [id, { status: task.status, result: data.results.get(task_id)?.result ?? null }];
  });
  return Object.fromEntries(inputs.filter((entry) => entry !== null));
}
