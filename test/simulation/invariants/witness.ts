import { GleitzeitError } from '../../../src/core/errors.ts';
import type { CommitAnswer, CommitRequest } from '../../../src/core/ports/store.ts';
import type { Committed } from '../../../src/store/simulated/data.ts';
import type { Nature } from '../world/nature.ts';
import type { Planner } from '../world/planned.ts';
import type { EngineProcess } from '../world/process.ts';
import type { Arrived } from '../world/store-link.ts';
import { Attempts } from './attempts.ts';
import { AwayCalls } from './away.ts';
import { Calls } from './calls.ts';
import { checkCauses } from './causes.ts';
import { checkClaim, checkClaimed, checkLeases, checkReconciled } from './claims.ts';
import { Log } from './log.ts';
import { Outside } from './outside.ts';
import { Pauses } from './pauses.ts';
import { Reports } from './reports.ts';
import { checkReused } from './reuse.ts';
import { checkKeys, checkRow, checkRuns } from './runs.ts';
import { leaseKey, type Report, Shadow, writesOf } from './step.ts';
import { Told } from './told.ts';
import { checkTransitions } from './transitions.ts';

/** Sees every commit the moment it is durable and holds it against the state before. */
export class Witness {
  readonly #nature: Nature;
  readonly #report: Report;
  readonly #attempts: Attempts;
  readonly shadow: Shadow;
  readonly log: Log;
  readonly calls: Calls;
  readonly told: Told;
  readonly pauses: Pauses;
  readonly reports: Reports;
  readonly outside: Outside;
  readonly away: AwayCalls;
  #seen = 0;
  #heard = 0;

  constructor(nature: Nature, planner: Planner) {
    this.#nature = nature;
    this.#report = (invariant, detail) => nature.fail(invariant, detail);
    this.shadow = new Shadow(nature.data);
    this.log = new Log(this.#report);
    this.#attempts = new Attempts(this.#report);
    this.reports = new Reports(this.#report);
    this.outside = new Outside(this.#report);
    this.pauses = new Pauses(nature);
    const { pauses, outside } = this;
    this.calls = new Calls(nature, this.shadow, { planner, pauses, outside });
    this.told = new Told(nature, this.shadow);
    this.away = new AwayCalls(nature, this.shadow);
  }

  committed(process: EngineProcess, { request, answer, late }: Arrived): void {
    if (late) this.#noteRevived(request);
    const { journal } = this.#nature.data;
    for (; this.#seen < journal.length; this.#seen++) {
      try {
        this.#check(journal[this.#seen] as Committed);
      } catch (thrown) {
        this.#report('the checks themselves', GleitzeitError.from(thrown).stack ?? '');
      }
    }
    const { concurrency } = this.#nature.weather;
    if (late) for (const { task } of answer.claimed) this.shadow.unheard.add(leaseKey(task));
    checkClaim({ request, answer, concurrency }, this.shadow, this.#report);
    this.calls.claimed(process, answer);
  }

  #noteRevived({ writes }: CommitRequest): void {
    for (const { owner } of writesOf(writes, 'join')) {
      if (!this.shadow.engines.has(owner)) this.shadow.revived.add(owner);
    }
  }

  answered(process: EngineProcess, answer: CommitAnswer): void {
    this.calls.answered(process, answer);
  }

  /** A restart of the only process that can hold the data ends all leases without a commit. */
  reopened(): void {
    this.shadow.engines.clear();
    for (const [owner, row] of this.#nature.data.engines) this.shadow.engines.set(owner, row);
  }

  #check(commit: Committed): void {
    const { shadow } = this;
    const steps = shadow.steps(commit);
    checkKeys(commit, shadow, this.#report);
    checkClaimed(commit, shadow, this.#report);
    checkLeases(commit, shadow, this.#nature.weather.exclusive, this.#report);
    for (const step of steps) {
      checkTransitions(step, this.#report);
      checkCauses(step, shadow, this.#report);
      this.#attempts.check(step);
      this.outside.check(step);
      this.away.check(step);
      if (step.before !== null && step.events.some(({ event }) => event === 'task:started')) {
        this.calls.startCommitted(step.after, step.before);
      }
    }
    const reused = checkReused(commit, shadow, this.#report);
    for (const { task_id, result } of commit.changes.results) {
      if (shadow.results.has(task_id)) this.#report('an outcome is recorded once', task_id);
      if (!reused.has(task_id)) this.calls.checkResult(task_id, result);
    }
    this.pauses.committed(commit);
    this.log.check(commit);
    for (; this.#heard < this.log.events.length; this.#heard++) {
      const event = this.log.events[this.#heard];
      if (event === undefined) continue;
      this.told.note(event);
      this.reports.note(event);
    }
    this.#checkPruned(commit);
    shadow.move(commit);
    for (const { after } of steps) checkRow(shadow.tasks.get(after.task_id) ?? after, shadow, this.#report);
    checkRuns(commit, shadow, this.#report);
    checkReconciled(commit, shadow, this.#report);
    if (commit.changes.pruned.length === 0) this.log.compareTouched(commit, shadow);
  }

  /** Only whole runs go, and only when they have been over for as long as they are kept. */
  #checkPruned({ changes, at }: Committed): void {
    const { keep_ms } = this.#nature.weather;
    for (const run_key of changes.pruned) {
      const rows = [...this.shadow.tasks.values()].filter(
        (row) => (row.workflow_id ?? row.task_id) === run_key,
      );
      const settled_at = this.shadow.runs.get(run_key)?.settled_at ?? rows[0]?.settled_at ?? null;
      if (settled_at === null || settled_at >= at - keep_ms)
        this.#report('finished runs are kept', `${run_key} at ${at}`);
      this.shadow.forget(
        run_key,
        rows.map(({ task_id }) => task_id),
      );
    }
  }
}
