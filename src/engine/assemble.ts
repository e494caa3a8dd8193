import type { GleitzeitError } from '../core/errors.ts';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import type { ChangeHint, ClaimRequest, CommitAnswer } from '../core/ports/store.ts';
import { ArrivalsOffice } from './arrivals.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { Away } from './away.ts';
import { Dispatcher } from './dispatcher.ts';
import { Feed } from './feed.ts';
import { createIds } from './ids.ts';
import { Lanes } from './lanes.ts';
import { LeaseCheck } from './lease-check.ts';
import { Lines } from './lines.ts';
import { Maintenance } from './maintenance.ts';
import { type Outcomes, type RunOutcomes, runOutcomes, taskOutcomes } from './outcomes.ts';
import { tellAbandoned } from './outside.ts';
import type { EngineParts } from './parts.ts';
import { QueuePause } from './queue-pause.ts';
import { Reconciler } from './reconcile.ts';
import { createResponses, type Responses } from './respond.ts';
import type { RetryParts } from './retry-run.ts';
import type { SettleParts } from './settle.ts';
import { StoreClock } from './store-clock.ts';
import { Unserved } from './unserved.ts';
import { Writer } from './writer.ts';

/** What an engine is made of. */
export type Works = {
  readonly observer: Observer;
  readonly newId: () => string;
  readonly feed: Feed;
  readonly outcomes: Outcomes;
  readonly runs: RunOutcomes;
  readonly pause: QueuePause;
  readonly storeClock: StoreClock;
  readonly leases: LeaseCheck;
  readonly writer: Writer;
  readonly reconciler: Reconciler;
  readonly dispatcher: Dispatcher;
  readonly maintenance: Maintenance;
  readonly unserved: Unserved;
  readonly lines: Lines;
  readonly submit: RetryParts;
  readonly responses: Responses;
  readonly away: Away;
  readonly arrivals: ArrivalsOffice;
  readonly tellAbandoned: ReturnType<typeof tellAbandoned>;
};

/** What they tell the engine they belong to. */
export type WorksHooks = {
  /** The name under which it claims now. */
  owner(): string;
  committed(answer: CommitAnswer, claim: ClaimRequest | null): void;
  failed(error: GleitzeitError): void;
  /** A task was let go without an outcome. */
  unsettled(): void;
  reconciled(): void;
  /** Others have given the engine up. */
  lost(): void;
  changed(hint: ChangeHint): void;
};

type Later = { readonly reconciler: () => Reconciler; readonly dispatcher: () => Dispatcher };

export function assemble(parts: EngineParts, hooks: WorksHooks): Works {
  const { store, timers, options, observer = noObserver } = parts;
  const { reads } = store;
  // They know each other, and nothing happens before the last of them is there.
  const later: Later = { reconciler: () => reconciler, dispatcher: () => dispatcher };
  const newId = createIds(parts.clock, parts.random);
  const outcomes = taskOutcomes(store, timers);
  const runs = runOutcomes(store, timers);
  const pause = new QueuePause({ reads, timers, changed: () => dispatcher.pauseChanged() });
  const leases = new LeaseCheck({ reads, dispatcher: later.dispatcher });
  const storeClock = new StoreClock(parts.clock);
  const writer = newWriter({ ...parts, observer, storeClock }, hooks, later);
  const reconciler = new Reconciler({
    timers,
    lease_ttl_ms: options.lease_ttl_ms,
    writer,
    dispatcher: later.dispatcher,
    owner: hooks.owner,
    done: hooks.reconciled,
  });
  const unserved = new Unserved(parts);
  const lanes = new Lanes(parts.router);
  const lines = new Lines({ writer, clock: parts.clock, calling: () => lanes.expectFound() });
  const away = new Away({ ...parts, writer, reads });
  const maintenance = newMaintenance(parts, hooks, { writer, unserved, lines, away });
  const expectDue = (ms: number) => maintenance.expectDue(ms);
  const shared = {
    ...parts,
    observer,
    reads,
    writer,
    outcomes,
    runs,
    expectDue,
    unserved,
    lines,
    lanes,
    away,
  };
  const dispatcher = newDispatcher({ ...shared, pause }, hooks);
  const submit = { ...shared, newId };
  const feed = new Feed(store, parts.timers);
  const responses = createResponses(shared);
  const arrivals = new ArrivalsOffice({ ...shared, answered: (name) => dispatcher.answered(name) });
  return {
    ...{ observer, newId, feed, outcomes, runs, pause, storeClock, leases },
    ...{ writer, reconciler, dispatcher, maintenance, unserved, lines, submit, responses, away, arrivals },
    tellAbandoned: tellAbandoned(shared),
  };
}

type WriterInput = EngineParts & { readonly observer: Observer; readonly storeClock: StoreClock };

function newWriter(parts: WriterInput, hooks: WorksHooks, later: Later): Writer {
  const { few_writes, commits_at_once } = parts.options;
  return new Writer({
    ...parts,
    few: few_writes,
    atOnce: commits_at_once,
    hooks: {
      // Not before the store and we agree on what is held: what is claimed now would not be on the list sent to it.
      claim: () => (later.reconciler().underWay ? null : later.dispatcher().claim()),
      received: (answer, claim) => {
        parts.storeClock.heard(answer.now);
        later.dispatcher().received(answer, claim);
      },
      committed: hooks.committed,
      failed: (error, claim) => {
        later.dispatcher().failed(claim);
        hooks.failed(error);
      },
    },
  });
}

type DispatcherInput = AttemptParts & SettleParts & EngineParts & { readonly pause: QueuePause };

function newDispatcher(parts: DispatcherInput & { observer: Observer }, hooks: WorksHooks): Dispatcher {
  return new Dispatcher({
    ...parts,
    concurrency: parts.options.concurrency,
    claimsAtOnce: parts.options.commits_at_once,
    unsettled: (task_id, trouble) => {
      parts.logger.warn('an attempt could not be settled', { task_id, error: trouble.message });
      hooks.unsettled();
    },
  });
}

function newMaintenance(
  parts: EngineParts,
  hooks: WorksHooks,
  works: Pick<Works, 'writer' | 'unserved' | 'lines' | 'away'>,
): Maintenance {
  return new Maintenance({
    ...parts.options,
    clock: parts.clock,
    timers: parts.timers,
    logger: parts.logger,
    router: parts.router,
    dispatch: parts.dispatch,
    cipher: parts.cipher,
    ...works,
    owner: hooks.owner,
    lost: hooks.lost,
    poll: () => hooks.changed({ ready: true, settled: true, revoked: false, documents: true, agents: false }),
  });
}
