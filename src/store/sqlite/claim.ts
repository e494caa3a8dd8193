import type { DatabaseSync } from 'node:sqlite';
import type { Changes } from '../../core/changes.ts';
import { mostOf } from '../../core/claim-bounds.ts';
import { ClaimLoad } from '../../core/claim-load.ts';
import { type HandOver, handOver } from '../../core/hand-over.ts';
import type { ClaimRequest } from '../../core/ports/store.ts';
import type { TaskBody, TaskRow } from '../../core/records.ts';
import { isFresh } from './apply-tasks.ts';
import type { Carried, Carrier, ClaimedValues } from './carry.ts';
import { prepare, type Query } from './connection.ts';
import type { Memory } from './memory.ts';
import type { Values } from './rows.ts';
import type { SqliteSource } from './source.ts';

export const claimSql = {
  best: 'SELECT rank, n FROM task WHERE place = 0 AND lane = ? ORDER BY rank, n LIMIT ?',
  take: `UPDATE task SET place = NULL, owner = ?, fence = fence + 1, slack = NULL
    WHERE n IN (SELECT value FROM json_each(?))`,
} as const;

/** A task that came with the same request: the rest of it is known there. */
export type FreshValues = readonly [task_id: string, seq: number, params_hash: string];

export type Claimed = Omit<Carried, 'tasks'> & {
  readonly lease_lost: boolean;
  readonly tasks: readonly Values[];
};

export const noClaim: Claimed = { lease_lost: false, tasks: [], shapes: new Map(), runInputs: new Map() };

export class Claimer {
  readonly #memory: Memory;
  readonly #carrier: Carrier;
  readonly #queries: Readonly<Record<keyof typeof claimSql, Query>>;

  constructor(db: DatabaseSync, { memory, carrier }: { memory: Memory; carrier: Carrier }) {
    this.#memory = memory;
    this.#carrier = carrier;
    const entries = Object.entries(claimSql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof claimSql, Query>>;
  }

  /** Takes the best claimable tasks of the lanes for an engine the store knows. */
  claim(claim: ClaimRequest): Claimed {
    const { engines } = this.#memory;
    const { owner } = claim;
    if (engines.row(owner) === null) return { ...noClaim, lease_lost: true };
    const numbers = this.#best(claim);
    if (numbers.length === 0) return noClaim;
    this.#queries.take.run(engines.numberOf(owner), JSON.stringify(numbers));
    return { lease_lost: false, ...this.#carrier.carry(numbers, new ClaimLoad(), new Map()) };
  }

  /** Claims what the commit makes claimable before it is written; null where something else may come first. */
  handOver(claim: ClaimRequest, changes: Changes, source: SqliteSource): HandOver | null {
    const { drained, engines } = this.#memory;
    if (engines.row(claim.owner) === null || changes.goneEngines.includes(claim.owner)) return null;
    if (!claim.lanes.every((lane) => drained.has(lane))) return null;
    return handOver(changes, claim, (task_id) => source.known(task_id)?.n ?? 0);
  }

  /** What was handed over, as it is sent to the engine. It knows what it submitted itself with the same commit. */
  carry({ changes, taken }: HandOver): Claimed {
    if (taken.length === 0) return noClaim;
    const load = new ClaimLoad();
    const fresh = freshOnes(changes, taken, load);
    const others = taken.filter(({ task_id }) => !fresh.has(task_id));
    const numbers = others.map(({ task_id }) => this.#memory.held.get(task_id)?.n ?? 0);
    const results = new Map(changes.results.map(({ task_id, result }) => [task_id, result]));
    const carried = this.#carrier.carry(numbers, load, results);
    let next = 0;
    const tasks = taken.map(({ task_id }) => fresh.get(task_id) ?? (carried.tasks[next++] as ClaimedValues));
    return { lease_lost: false, ...carried, tasks };
  }

  #best(claim: ClaimRequest): number[] {
    const different = [...new Set(claim.lanes)];
    const places = different.map(
      (lane) => this.#queries.best.all(lane, mostOf(claim, lane)) as unknown as readonly Place[],
    );
    const only = places.length === 1 ? places[0] : undefined;
    const best = only ?? places.flat().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    // All there is of a lane, and all of it is taken.
    if (best.length <= claim.limit)
      different.forEach((lane, index) => {
        if ((places[index]?.length ?? 0) < mostOf(claim, lane)) this.#memory.drained.add(lane);
      });
    return best.slice(0, claim.limit).map(([, n]) => n);
  }
}

type Place = readonly [rank: number, n: number];

/** By `task_id`, those of which their sender knows all but what the store adds, as long as the claim carries them. */
function freshOnes(
  { newTasks, newRuns }: Changes,
  taken: readonly TaskRow[],
  load: ClaimLoad,
): ReadonlyMap<string, FreshValues> {
  const bodies = new Map(newTasks.map(({ body }) => [body.task_id, body]));
  const inputs = new Map(newRuns.map(({ row, input }) => [row.workflow_id, input.length]));
  const fresh = new Map<string, FreshValues>();
  for (const row of taken) {
    const body = isFresh(row) ? bodies.get(row.task_id) : undefined;
    // One that waited for others was released by the same commit, and is not as its sender knows it.
    if (body === undefined || body.spec.dependencies.length > 0) continue;
    if (load.takes(body.params.length, runOf(row, body, inputs)))
      fresh.set(row.task_id, [row.task_id, row.seq, body.params_hash]);
  }
  return fresh;
}

function runOf({ workflow_id }: TaskRow, { uses_input }: TaskBody, inputs: ReadonlyMap<string, number>) {
  return uses_input && workflow_id !== null ? { workflow_id, input: inputs.get(workflow_id) ?? 0 } : null;
}
