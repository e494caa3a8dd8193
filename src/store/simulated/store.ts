import { hintOf } from '../../core/change-hint.ts';
import type { Changes } from '../../core/changes.ts';
import { decideAll } from '../../core/decide.ts';
import type { ChangeHint, CommitAnswer, CommitRequest, Store, StoreReads } from '../../core/ports/store.ts';
import { runKeyOf } from '../../core/records.ts';
import { commitOrBisect } from '../bisect.ts';
import { hashText } from '../hash.ts';
import { claim, noClaim } from './claim.ts';
import type { SimulatedData } from './data.ts';
import type { SimulatedFaults } from './faults.ts';
import { type Handle, hold, tellOthers } from './handles.ts';
import { readsOf } from './reads.ts';
import { sourceOf } from './source.ts';

export type SimulatedOptions = {
  readonly data: SimulatedData;
  readonly clock: () => number;
  /** One process holds it, as with a file (true), or several share it under leases. */
  readonly exclusive?: boolean;
  readonly faults?: SimulatedFaults;
  /** Carries hints to this handle's listeners: now, later, or never. */
  readonly deliver?: (call: () => void) => void;
};

export interface SimulatedStore extends Store {
  /** As if the process were killed: what is not durable is lost, and nothing is answered any more. */
  crash(): void;
}

/** A handle on simulated data. Deterministic: no timers, randomness or clock of its own. */
export function openSimulatedStore(options: SimulatedOptions): SimulatedStore {
  const { data, clock, faults = {}, exclusive = true } = options;
  const listeners = new Set<(hint: ChangeHint) => void>();
  const deliver = options.deliver ?? ((call: () => void) => call());
  const handle: Handle = hold(data, exclusive, (hint) => {
    for (const listener of listeners) deliver(() => listener(hint));
  });
  if (exclusive) data.expireEngines();

  async function commit(request: CommitRequest): Promise<CommitAnswer> {
    await faults.beforeCommit?.(request);
    const attempt = async (part: CommitRequest) => {
      await handle.alive();
      return writeNow({ data, faults, now: clock(), exclusive, handle }, part);
    };
    const answer = await commitOrBisect(request, attempt, (thrown) => thrown instanceof RefusedRecord);
    await handle.alive(faults.afterCommit?.(request, answer));
    return answer;
  }

  return {
    commit,
    reads: guarded(data, (name) => handle.alive(faults.beforeRead?.(name))),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => handle.release('closed'),
    crash: () => handle.release('crashed'),
  };
}

/** A record that would break a rule of the tables. */
class RefusedRecord extends Error {}

type Writing = {
  readonly data: SimulatedData;
  readonly faults: SimulatedFaults;
  readonly now: number;
  readonly exclusive: boolean;
  readonly handle: Handle;
};

/** The transaction: it decides, writes, claims and numbers in one go, and nothing can come between. */
function writeNow({ data, faults, now, exclusive, handle }: Writing, request: CommitRequest): CommitAnswer {
  if (request.writes.some((write) => faults.refuses?.(write)))
    throw new RefusedRecord('refused by the simulation');
  const { verdicts, changes } = decideAll(sourceOf(data), { now, hash: hashText, exclusive }, request.writes);
  requireNewIds(data, changes);
  data.apply(changes, now);
  const { claimed, lease_lost } = request.claim === null ? noClaim : claim(data, request.claim);
  data.journal.push({ at: now, writes: request.writes, changes, claimed: claimed.map(({ task }) => task) });
  tellOthers(data, handle, hintOf(changes, claimed));
  const { settled, settledRuns, revoked } = changes;
  return { now, verdicts, claimed, lease_lost, settled, settledRuns, revoked };
}

function requireNewIds(data: SimulatedData, changes: Changes): void {
  for (const { row } of changes.newTasks) {
    const taken = data.tasks.get(row.task_id);
    if (taken === undefined || changes.pruned.includes(runKeyOf(taken))) continue;
    throw new RefusedRecord(`there is a task ${row.task_id} already`);
  }
}

function guarded(data: SimulatedData, before: (name: keyof StoreReads) => Promise<void>): StoreReads {
  const now = readsOf(data);
  const later =
    <Query extends unknown[], Answer>(name: keyof StoreReads, read: (...query: Query) => Answer) =>
    async (...query: Query): Promise<Answer> => {
      await before(name);
      return read(...query);
    };
  return {
    task: later('task', now.task),
    run: later('run', now.run),
    result: later('result', now.result),
    runResults: later('runResults', now.runResults),
    payloads: later('payloads', now.payloads),
    tasks: later('tasks', now.tasks),
    runs: later('runs', now.runs),
    events: later('events', now.events),
    cursor: later('cursor', now.cursor),
    document: later('document', now.document),
    documents: later('documents', now.documents),
    agent: later('agent', now.agent),
    agents: later('agents', now.agents),
    stats: later('stats', now.stats),
    engines: later('engines', now.engines),
  };
}
