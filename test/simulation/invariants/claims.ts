import type { ClaimRequest, CommitAnswer, CommitRequest } from '../../../src/core/ports/store.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { Committed } from '../../../src/store/simulated/data.ts';
import { leaseKey, type Report, type Shadow, writesOf } from './step.ts';

/** Running, waiting for a slot, and on the way to the store. */
const HELD_PER_SLOT = 3;

/** A claim takes what is ready, the best first, for an engine that is known, and never more than a window. */
export function checkClaim(
  { request, answer, concurrency }: { request: CommitRequest; answer: CommitAnswer; concurrency: number },
  shadow: Shadow,
  report: Report,
): void {
  const { claim } = request;
  if (claim === null) {
    if (answer.claimed.length > 0) report('claims', 'something was claimed that nobody asked for');
    return;
  }
  const known = shadow.engines.has(claim.owner);
  if (answer.lease_lost === known) report('claims', `lease_lost ${answer.lease_lost} for ${claim.owner}`);
  const taken = answer.claimed.map(({ task }) => task);
  if (taken.length > claim.limit) report('claims', `${taken.length} taken, ${claim.limit} asked for`);
  for (const task of taken) {
    if (task.owner !== claim.owner || !claim.lanes.includes(task.lane))
      report('claims', `${task.task_id} is not for ${claim.owner}`);
  }
  for (const [lane, most] of claim.most ?? []) {
    const count = taken.filter((task) => task.lane === lane).length;
    if (count > most) report('claims', `${count} taken of ${lane}, ${most} asked for`);
  }
  for (const [index, task] of taken.entries()) {
    const next = taken[index + 1];
    if (next !== undefined && later(task, next, shadow))
      report('best rank first', `${task.task_id} before ${next.task_id}`);
  }
  if (known) checkLeftOver(claim, taken, shadow, report);
  const held = [...shadow.tasks.values()].filter(
    (row) => row.owner === claim.owner && !shadow.unheard.has(leaseKey(row)),
  ).length;
  if (held > HELD_PER_SLOT * concurrency) report('memory is bounded', `${claim.owner} holds ${held} tasks`);
}

/** What is left in the queue comes after everything that was taken, and nothing is left while there was room. */
function checkLeftOver(claim: ClaimRequest, taken: readonly TaskRow[], shadow: Shadow, report: Report): void {
  const last = taken.at(-1);
  const full = taken.length >= claim.limit;
  const enough = (lane: string) =>
    taken.filter((task) => task.lane === lane).length >= (claim.most?.get(lane) ?? Number.POSITIVE_INFINITY);
  for (const row of shadow.tasks.values()) {
    if (!ready(row) || !claim.lanes.includes(row.lane)) continue;
    const lastOfLane = taken.findLast(({ lane }) => lane === row.lane);
    if (enough(row.lane)) {
      if (lastOfLane !== undefined && later(lastOfLane, row, shadow))
        report('best rank first', `${row.task_id} was passed over in its lane`);
    } else if (!full) report('a claim takes all it can', `${row.task_id} was left`);
    else if (last !== undefined && later(last, row, shadow))
      report('best rank first', `${row.task_id} was passed over`);
  }
}

function ready(row: TaskRow): boolean {
  return row.status === 'queued' && row.owner === null && row.parked === null;
}

function later(a: TaskRow, b: TaskRow, { data }: Shadow): boolean {
  return a.rank > b.rank || (a.rank === b.rank && data.orderOf(a.task_id) > data.orderOf(b.task_id));
}

/** Each claim takes a task that was ready and moves its fence by one. Looked at before the shadow moves. */
export function checkClaimed(commit: Committed, shadow: Shadow, report: Report): void {
  const written = new Map<string, TaskRow>();
  for (const { row } of commit.changes.newTasks) written.set(row.task_id, row);
  for (const row of commit.changes.tasks) written.set(row.task_id, row);
  for (const row of commit.claimed) {
    const before = written.get(row.task_id) ?? shadow.tasks.get(row.task_id);
    if (before === undefined || !ready(before)) {
      report(
        'only ready tasks are claimed',
        `${row.task_id} was ${before?.status}, held by ${before?.owner}`,
      );
    } else if (row.fence !== before.fence + 1) report('claims move the fence', row.task_id);
  }
}

/** Leases last as long as they were asked for, from the store's now on, and nobody comes back from the dead. */
export function checkLeases(commit: Committed, shadow: Shadow, exclusive: boolean, report: Report): void {
  const { writes, changes, at } = commit;
  for (const { owner, alive_until } of changes.engines) {
    const joined = writesOf(writes, 'join').find((write) => write.owner === owner);
    const asked = joined ?? writesOf(writes, 'beat').find((write) => write.owner === owner);
    const until = exclusive ? Number.MAX_SAFE_INTEGER : at + (asked?.ttl_ms ?? 0);
    if (alive_until !== until)
      report('leases are measured by the store’s clock', `${owner}: ${alive_until}, not ${until}`);
    if (joined === undefined && !shadow.engines.has(owner)) report('a lost lease stays lost', owner);
  }
  for (const owner of changes.goneEngines) {
    const left = writesOf(writes, 'leave').some((write) => write.owner === owner);
    if (!left && !shadow.isLost(owner, at)) report('a living engine is not given up', `${owner} at ${at}`);
  }
}

/** After an engine has said what it holds, the store has nothing else down as its own. Looked at after the shadow moved. */
export function checkReconciled(commit: Committed, shadow: Shadow, report: Report): void {
  const claimed = new Set(commit.claimed.map(({ task_id }) => task_id));
  for (const { owner, held } of writesOf(commit.writes, 'reconcile')) {
    const known = new Map(held.map(({ task_id, fence }) => [task_id, fence]));
    for (const row of shadow.tasks.values()) {
      if (row.owner !== owner || claimed.has(row.task_id) || known.get(row.task_id) === row.fence) continue;
      report('an engine knows what it holds', `${row.task_id} is held by ${owner}, who does not know it`);
    }
  }
}
