import { GleitzeitError } from '../../../src/core/errors.ts';
import type { CommitAnswer, CommitRequest, Store, StoreReads } from '../../../src/core/ports/store.ts';
import type { SimulatedFaults } from '../../../src/store/simulated/faults.ts';
import { openSimulatedStore } from '../../../src/store/simulated/store.ts';
import { steadyClock } from '../../../src/store/steady-clock.ts';
import { type Nature, never } from './nature.ts';
import type { EngineProcess } from './process.ts';

/** `late`: its engine was told long ago that it failed, and does not hear of it. */
export type Arrived = {
  readonly request: CommitRequest;
  readonly answer: CommitAnswer;
  readonly late: boolean;
};

export type StoreWatch = {
  /** A moment at which the process may die. */
  mayCrash(process: EngineProcess, point: string): boolean;
  committed(process: EngineProcess, commit: Arrived): void;
  answered(process: EngineProcess, answer: CommitAnswer): void;
};

type Fate =
  | { readonly kind: 'fine' }
  | { readonly kind: 'refused'; readonly code: 'GLZ3001' | 'GLZ3003'; readonly after: number }
  | { readonly kind: 'answer_lost'; readonly after: number };

/** The store as one process reaches it: over a way that is slow, breaks, and carries hints badly. */
export function linkStore(process: EngineProcess, watch: StoreWatch): Store {
  const { nature } = process;
  const { weather, data } = nature;
  const newest = data.journal.at(-1)?.at ?? 0;
  process.storeNow = weather.exclusive ? steadyClock(process.clock, newest) : () => nature.databaseNow();
  const store = openSimulatedStore({
    data,
    clock: process.storeNow,
    exclusive: weather.exclusive,
    faults: faultsOf(process, watch),
    deliver: (call) => carryHint(process, call),
  });
  process.store = store;
  const doubt = (thrown: unknown): never => {
    process.inDoubt = true;
    throw thrown;
  };
  const commit = async (request: CommitRequest) => {
    nature.trace(process.name, 'commit', {
      writes: request.writes.map(({ kind }) => kind),
      claim: request.claim?.limit,
    });
    const answered = inTurn(process, request, () => answerOf(process, store, request));
    const answer = leavePayloadsOut(nature, await answered.catch(doubt));
    if (request.writes.some(({ kind }) => kind === 'reconcile')) process.inDoubt = false;
    nature.trace(process.name, 'committed', { claimed: answer.claimed.map(({ task }) => task.task_id) });
    watch.answered(process, answer);
    return answer;
  };
  return { ...store, commit, reads: slowAnswers(process, store.reads) };
}

/** Until the commit before has taken effect, and to tell that this one has. */
type Turn = { readonly before: Promise<void>; readonly taken: () => void };

const turns = new WeakMap<CommitRequest, Turn>();

/** Commits of one process take effect and are answered in the order in which they were asked for. */
async function inTurn<Answer>(
  { commits }: EngineProcess,
  request: CommitRequest,
  commit: () => Promise<Answer>,
): Promise<Answer> {
  const { effect: before, answer: answerBefore } = commits;
  const effect = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  commits.effect = effect.promise;
  commits.answer = answered.promise;
  turns.set(request, { before, taken: effect.resolve });
  try {
    return await commit();
  } finally {
    effect.resolve();
    await answerBefore;
    answered.resolve();
  }
}

/** What a read tells is as old as its way back is long. */
function slowAnswers(process: EngineProcess, reads: StoreReads): StoreReads {
  const slow =
    <Query extends unknown[], Answer>(read: (...query: Query) => Promise<Answer>) =>
    async (...query: Query): Promise<Answer> => {
      const answer = await read(...query);
      await process.arrival(travel(process.nature));
      return answer;
    };
  return {
    task: slow(reads.task),
    run: slow(reads.run),
    result: slow(reads.result),
    runResults: slow(reads.runResults),
    payloads: slow(reads.payloads),
    tasks: slow(reads.tasks),
    runs: slow(reads.runs),
    events: slow(reads.events),
    cursor: slow(reads.cursor),
    document: slow(reads.document),
    documents: slow(reads.documents),
    agent: slow(reads.agent),
    agents: slow(reads.agents),
    stats: slow(reads.stats),
    engines: slow(reads.engines),
  };
}

/** In some weather the engine hears of a failure while its commit is still on the way. */
function answerOf(process: EngineProcess, store: Store, request: CommitRequest): Promise<CommitAnswer> {
  const { nature } = process;
  if (nature.weather.exclusive || !nature.mishap(nature.weather.late_effect)) return store.commit(request);
  late.add(request);
  nature.disturb(LATEST_MS);
  store.commit(request).catch(() => {});
  nature.trace(process.name, 'told early');
  return process.arrival(travel(nature)).then(() => {
    throw unreachable('the connection broke while the commit was under way');
  });
}

const LATEST_MS = 1500;
/** Commits that arrive long after their engine was told that they failed. */
const late = new WeakSet<CommitRequest>();

function faultsOf(process: EngineProcess, watch: StoreWatch): SimulatedFaults {
  const { nature } = process;
  const fates = new WeakMap<CommitRequest, Fate>();
  return {
    async beforeCommit(request) {
      if (!process.alive || watch.mayCrash(process, 'commit:before')) await never();
      const fate = fateOf(process, request);
      fates.set(request, fate);
      if (fate.kind === 'refused') {
        nature.trace(process.name, 'commit refused', fate);
        nature.disturb(fate.after);
        await process.arrival(fate.after);
        throw new GleitzeitError(fate.code, 'the simulated store cannot be written to');
      }
      // On its way: it arrives even while the process is paused.
      if (late.has(request)) return nature.scheduler.sleep(nature.dice.between(0, LATEST_MS));
      await nature.scheduler.sleep(travel(nature));
      await turns.get(request)?.before;
    },
    async afterCommit(request, answer) {
      turns.get(request)?.taken();
      process.unanswered++;
      watch.committed(process, { request, answer, late: late.has(request) });
      if (!process.alive || watch.mayCrash(process, 'commit:after')) await never();
      const fate = fates.get(request) ?? { kind: 'fine' };
      if (fate.kind === 'answer_lost') nature.disturb(fate.after);
      await process.arrival(fate.kind === 'answer_lost' ? fate.after : travel(nature));
      process.unanswered--;
      if (fate.kind !== 'answer_lost') return;
      nature.trace(process.name, 'answer lost');
      throw unreachable('the answer to a commit was lost');
    },
    async beforeRead(name) {
      if (!process.alive || watch.mayCrash(process, 'read')) await never();
      nature.trace(process.name, 'read', name);
      const cut = process.partitionedUntil > nature.now;
      const after = cut ? nature.dice.between(10, 2000) : travel(nature);
      if (cut) nature.disturb(after);
      await process.arrival(after);
      if (!cut && !nature.mishap(nature.weather.read_fails)) return;
      nature.trace(process.name, 'read failed', name);
      throw unreachable('a read failed');
    },
    refuses: (write) =>
      ((write.kind === 'settle' || write.kind === 'arrive') &&
        write.answer.word === 'done' &&
        write.answer.result.includes('unholdable')) ||
      (write.kind === 'submit' &&
        write.runs.some((run) => run.tasks.some(({ params }) => params.includes('unholdable!')))),
  };
}

function fateOf(process: EngineProcess, { writes }: CommitRequest): Fate {
  const { nature } = process;
  const { weather, dice } = nature;
  if (nature.calm) return { kind: 'fine' };
  if (nature.diskFullUntil > nature.now) return { kind: 'refused', code: 'GLZ3003', after: travel(nature) };
  const hangs = () => (dice.chance(0.3) ? dice.between(50, weather.hang_ms) : travel(nature));
  if (process.partitionedUntil > nature.now) {
    nature.disturb();
    const after = dice.between(50, weather.hang_ms);
    return dice.chance(0.5) ? { kind: 'refused', code: 'GLZ3001', after } : { kind: 'answer_lost', after };
  }
  if (nature.mishap(weather.commit_refused)) return { kind: 'refused', code: 'GLZ3001', after: hangs() };
  if (nature.mishap(weather.answer_lost)) return { kind: 'answer_lost', after: hangs() };
  const pauses = writes.some(({ kind }) => kind === 'pause_queue' || kind === 'resume_queue');
  if (pauses && nature.mishap(weather.pause_unheard)) return { kind: 'answer_lost', after: hangs() };
  return { kind: 'fine' };
}

function carryHint(process: EngineProcess, call: () => void): void {
  const { nature } = process;
  const { weather, dice } = nature;
  const cut = process.partitionedUntil > nature.now;
  if (cut || nature.mishap(weather.hint_dropped)) return;
  process.deliver(nature.mishap(weather.hint_late) ? dice.between(100, 3000) : travel(nature), call);
  if (nature.mishap(weather.hint_repeated)) process.deliver(dice.between(0, 500), call);
}

/** The port allows an answer to leave payloads out; then the engine reads them, or gives the task back. */
function leavePayloadsOut(nature: Nature, answer: CommitAnswer): CommitAnswer {
  if (answer.claimed.length === 0 || nature.weather.payloads_left_out === 0) return answer;
  const claimed = answer.claimed.map((task) =>
    nature.dice.chance(nature.weather.payloads_left_out) ? { ...task, payloads: null } : task,
  );
  return { ...answer, claimed };
}

function travel({ weather, dice }: Nature): number {
  const way = weather.exclusive ? weather.commit_ms : weather.network_ms;
  return way * dice.between(0.5, 1.5);
}

function unreachable(message: string): GleitzeitError {
  return new GleitzeitError('GLZ3001', message);
}
