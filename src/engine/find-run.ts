import { canonicalJson } from '../core/canonical.ts';
import { parseWorkflow } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Page } from '../core/ports/store.ts';
import type { RunRow } from '../core/records.ts';
import { parseHiding } from '../core/secret-problems.ts';
import { mapSealed, maySeal } from '../core/secrets.ts';
import type { AcceptedRun, NewRun, NewTask } from '../core/writes.ts';
import { type Member, membersOf } from './members.ts';
import { planWorkflow } from './plan.ts';
import type { RetryParts } from './retry-run.ts';
import { agentsOf, knowing } from './submit.ts';

const PAGE = 100;
const unfinished = { status: ['running', 'paused'], order: 'newest' } as const;

/**
 * The newest run of the same definition and input that has not ended. Nothing is kept to recognise it by: the definition
 * is planned as if it were submitted, and held against what the store has of each run of its name, secrets opened.
 */
export async function findUnfinished(
  parts: RetryParts,
  workflow: unknown,
  given: Json | undefined,
): Promise<AcceptedRun> {
  const input = toJson(given ?? null, 'GLZ1002', '/input');
  const names = agentsOf(workflow);
  const planning = names.length === 0 ? parts : await knowing(parts, names);
  const definition = parseHiding(parseWorkflow, workflow, parts.schemas);
  const nobody = { idempotency_key: null, traceparent: null };
  const planned = planWorkflow(planning, definition, { ...nobody, input });
  const { name, version } = definition;
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = { limit: PAGE, ...(cursor === '' ? {} : { cursor }) };
    const { items, next_cursor }: Page<RunRow> = await parts.reads.runs({ ...unfinished, name, ...page });
    for (const run of items) {
      if (run.version !== version || run.total !== planned.tasks.length) continue;
      const members = await sameRun(parts, run, planned);
      if (members !== null) return accepted(run, members);
    }
    cursor = next_cursor;
  }
  throw none(name);
}

/** Its tasks, where they are the same as those that were planned and the input is too. */
async function sameRun(
  { reads, cipher }: RetryParts,
  { workflow_id }: RunRow,
  planned: NewRun,
): Promise<readonly Member[] | null> {
  const found = await reads.run(workflow_id);
  if (found === null || !sameJson(found.input, planned.workflow?.input ?? 'null')) return null;
  const members = await membersOf(reads, workflow_id);
  return members.every((member, index) => sameTask(cipher, member, planned.tasks[index])) ? members : null;
}

function sameTask(cipher: Cipher, { task, body }: Member, planned: NewTask | undefined): boolean {
  if (planned === undefined) return false;
  const { traceparent: _, ...spec } = body.spec;
  const { id, priority, on_failure, total_timeout } = task;
  const before = { id, priority, on_failure, total_timeout, spec, params: opened(cipher, body.params) };
  const now = {
    id: planned.id,
    priority: planned.priority,
    on_failure: planned.on_failure,
    total_timeout: planned.total_timeout,
    spec: planned.spec,
    params: opened(cipher, planned.params),
  };
  return canonicalJson(before as unknown as Json) === canonicalJson(now as unknown as Json);
}

/** Sealed twice, the same secret looks different. */
function opened(cipher: Cipher, text: string): Json {
  const value = JSON.parse(text) as Json;
  return maySeal(text) ? mapSealed(value, (sealed) => JSON.parse(cipher.open(sealed)) as Json) : value;
}

function sameJson(one: string, other: string): boolean {
  return one === other || canonicalJson(JSON.parse(one) as Json) === canonicalJson(JSON.parse(other) as Json);
}

function accepted({ workflow_id, status }: RunRow, members: readonly Member[]): AcceptedRun {
  const tasks = members.map(({ task }) => [task.id, task.task_id] as const);
  return { workflow_id, status, tasks, created: false };
}

function none(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1010', `no run of "${name}" with this definition and input is unfinished`, {
    field: 'workflow',
    hint: 'submit it to start one',
  });
}
