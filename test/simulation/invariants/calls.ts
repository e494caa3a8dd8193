import type { Answer } from '../../../src/core/answer.ts';
import type { ClaimedTask, CommitAnswer } from '../../../src/core/ports/store.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { CallRecord } from '../world/call-record.ts';
import type { Nature } from '../world/nature.ts';
import type { Params, Planner } from '../world/planned.ts';
import type { EngineProcess } from '../world/process.ts';
import type { Outside } from './outside.ts';
import type { Pauses } from './pauses.ts';
import { leaseKey, type Shadow } from './step.ts';

type Grant = { readonly claimed: ClaimedTask; readonly params: string; used: boolean };

/** What is known of a call that leaves. */
type SentCall = Pick<
  CallRecord,
  'process' | 'task_id' | 'call_id' | 'attempt' | 'params' | 'kept' | 'response'
>;

type CallsParts = { readonly planner: Planner; readonly pauses: Pauses; readonly outside: Outside };

/** What the service saw, held against what the engines were given: a call for each claim, and the right one. */
export class Calls {
  readonly #nature: Nature;
  readonly #shadow: Shadow;
  readonly #planner: Planner;
  readonly #pauses: Pauses;
  readonly #outside: Outside;
  readonly #grants = new Map<EngineProcess, Map<string, Grant[]>>();
  readonly #expected = new Map<string, string>();
  readonly #calls = new Set<string>();
  readonly #started = new Set<string>();
  readonly #answers = new Map<string, Set<string>>();
  readonly records: CallRecord[] = [];
  readonly #active = new Map<EngineProcess, Set<CallRecord>>();
  readonly #possible = new Map<EngineProcess, CallRecord[]>();
  /** Who claimed under which name. */
  readonly #owners = new Map<string, EngineProcess>();
  readonly #lastCall = new Map<EngineProcess, number>();

  constructor(nature: Nature, shadow: Shadow, { planner, pauses, outside }: CallsParts) {
    this.#nature = nature;
    this.#shadow = shadow;
    this.#planner = planner;
    this.#pauses = pauses;
    this.#outside = outside;
  }

  /** Right after the commit: what the params of each claimed task must become. */
  claimed(process: EngineProcess, answer: CommitAnswer): void {
    for (const { task } of answer.claimed) this.#owners.set(task.owner ?? '', process);
    for (const { task } of answer.claimed) this.#outside.claimed(task);
    for (const claimed of answer.claimed) this.#expected.set(leaseKey(claimed.task), this.#paramsOf(claimed));
  }

  /** The engine knows of its claims only now. */
  answered(process: EngineProcess, answer: CommitAnswer): void {
    const grants = this.#grants.get(process) ?? new Map<string, Grant[]>();
    this.#grants.set(process, grants);
    for (const claimed of answer.claimed) {
      const { task_id } = claimed.task;
      const grant = { claimed, params: this.#expected.get(leaseKey(claimed.task)) ?? '', used: false };
      grants.set(task_id, [...(grants.get(task_id) ?? []), grant]);
    }
  }

  /** A start that is told after its call lies where the call was, by the store's clock. */
  startCommitted({ task_id, attempts }: TaskRow, { fence, owner }: TaskRow): void {
    this.#started.add(`${task_id} ${fence}`);
    const last = attempts.at(-1);
    const process = this.#owners.get(owner ?? '');
    const call = this.records.findLast((record) => record.task_id === task_id && record.process === process);
    if (last === undefined || call === undefined || call.attempt !== last.attempt) return;
    const early = 50 + (this.#nature.now - call.at) * 0.05;
    if (last.started_at >= call.stored_at - early) return;
    this.#nature.fail(
      'times are the store’s',
      `${task_id} started at ${last.started_at}, called at ${call.stored_at}`,
    );
  }

  called(record: CallRecord): void {
    this.records.push(record);
    this.#checkSlots(record);
    const claimed = this.#granted(record);
    if (claimed === null) return;
    const { task, payloads } = claimed;
    const { process, task_id, attempt, call_id } = record;
    const fail = (invariant: string, detail: string) =>
      this.#nature.fail(invariant, `${process.name} called ${call_id}, attempt ${attempt}: ${detail}`);
    // One that has to read or write first may have been on its way.
    if (process.quiet && !task.suspect && payloads !== null)
      fail('quiet takes no more', 'after it had become quiet');
    const same = `${call_id} ${attempt} ${task.suspect}`;
    if (this.#calls.has(same))
      fail('an attempt is counted when it starts', `made again, suspect: ${task.suspect}`);
    this.#calls.add(same);
    if (task.suspect && !this.#started.has(`${task_id} ${task.fence}`)) {
      fail('a suspect’s start is committed before its call', `under fence ${task.fence}`);
    }
    this.#checkLease(record, claimed);
    this.#pauses.called(record, claimed);
  }

  /** A call leaves: the right one, once for each claim. */
  sent(record: SentCall): void {
    this.#granted(record);
  }

  #granted(record: SentCall): ClaimedTask | null {
    this.#lastCall.set(record.process, this.#nature.now);
    const { process, task_id, attempt, call_id } = record;
    const fail = (invariant: string, detail: string) =>
      this.#nature.fail(invariant, `${process.name} called ${call_id}, attempt ${attempt}: ${detail}`);
    const grant = this.#grants
      .get(process)
      ?.get(task_id)
      ?.findLast(({ used }) => !used);
    if (grant === undefined) {
      fail('one call for each claim', 'without a claim');
      return null;
    }
    grant.used = true;
    const { task, payloads } = grant.claimed;
    const id = task.generation === 0 ? task_id : `${task_id}.${task.generation}`;
    if (call_id !== id) fail('call ids are stable', `expected ${id}`);
    if (attempt !== task.attempt_count + 1)
      fail('attempts are numbered', `claimed with ${task.attempt_count}`);
    const params = JSON.stringify(record.params);
    // What was left out of the claim is read later, and a dependency may have been run again since.
    const fresh = payloads === null ? this.#paramsOf(grant.claimed) : grant.params;
    if (params !== grant.params && params !== fresh)
      fail('references saw the right results', `${params}, expected ${grant.params}`);
    this.#outside.called(task, record);
    return grant.claimed;
  }

  /** Where no other engine can be, a call is made for what is held, unless the news is still on its way. */
  #checkLease({ process, task_id, call_id }: SentCall, { task }: ClaimedTask): void {
    const row = this.#shadow.tasks.get(task_id);
    const mine = row?.owner === task.owner && row?.fence === task.fence;
    const unaware = process.unanswered > 0 || process.inDoubt || process.state !== 'running';
    if (mine || unaware || !this.#nature.weather.exclusive) return;
    this.#nature.fail(
      'a settled task is not started again',
      `${call_id} is ${row?.status}, held by ${row?.owner}`,
    );
  }

  #checkSlots(record: CallRecord): void {
    const { process } = record;
    const running = this.activeOf(process);
    running.add(record);
    this.#possible.set(process, [...(this.#possible.get(process) ?? []), record]);
    const { concurrency } = this.#nature.weather;
    if (running.size > concurrency)
      this.#nature.fail('concurrency', `${process.name} runs ${running.size} calls`);
  }

  /** Calls the engine surely waits for: a total timeout may have ended others that the service knows nothing of. */
  activeOf(process: EngineProcess): Set<CallRecord> {
    const running = this.#active.get(process) ?? new Set<CallRecord>();
    this.#active.set(process, running);
    for (const record of running)
      if (record.ended || this.#surelyUntil(record) <= this.#nature.now) running.delete(record);
    return running;
  }

  /** Calls an engine may be waiting for, as far as the service can know. */
  possiblyActiveOf(process: EngineProcess): CallRecord[] {
    const running = this.#possible.get(process) ?? [];
    const still = running.filter((record) => {
      const timeout = (this.#shadow.data.bodies.get(record.task_id)?.spec.timeout ?? 0) * 1050 + 50;
      return !record.ended && this.#nature.now < record.at + timeout;
    });
    this.#possible.set(process, still);
    return still;
  }

  /** Calls that go on although their engine holds the task no longer, as far as they would notice. */
  uselessOf(process: EngineProcess): CallRecord[] {
    return this.possiblyActiveOf(process).filter(({ blind, task_id }) => {
      const owner = this.#shadow.tasks.get(task_id)?.owner ?? null;
      return !blind && (owner === null || this.#owners.get(owner) !== process);
    });
  }

  /** Whether who holds tasks under this name has begun a call within the last `ms`. */
  isBusy(owner: string, ms: number): boolean {
    const process = this.#owners.get(owner);
    return process !== undefined && (this.#lastCall.get(process) ?? 0) > this.#nature.now - ms;
  }

  heldBy(process: EngineProcess): string[] {
    const held = [...this.#shadow.tasks.values()].filter(({ owner }) => owner !== null);
    return held
      .filter(({ owner }) => this.#owners.get(owner ?? '') === process)
      .map(({ task_id }) => task_id);
  }

  processOf(owner: string): EngineProcess | undefined {
    return this.#owners.get(owner);
  }

  answers({ task_id }: Pick<CallRecord, 'task_id'>, answer: Answer): void {
    if (answer.word !== 'done') return;
    const known = this.#answers.get(task_id) ?? new Set<string>();
    known.add(answer.result);
    this.#answers.set(task_id, known);
  }

  /** A recorded result is one the service gave for this very task. */
  checkResult(task_id: string, result: string): void {
    if (this.#answers.get(task_id)?.has(result)) return;
    this.#nature.fail('a result is what the service answered', `${task_id}: ${result}`);
  }

  #surelyUntil({ task_id, at, process, blind }: CallRecord): number {
    if (blind) return 0;
    const seconds = this.#shadow.data.bodies.get(task_id)?.spec.timeout ?? 0;
    const limit = this.#shadow.tasks.get(task_id)?.expires_at == null ? seconds * 950 : 0;
    return Math.max(at + limit, process.pausedUntil);
  }

  #paramsOf({ task }: ClaimedTask): string {
    const { data } = this.#shadow;
    const template = JSON.parse(data.bodies.get(task.task_id)?.params ?? '') as Params;
    const planned = this.#planner.byTag.get(template.tag);
    const ids = new Map(
      [...data.tasksOfRun.ids(task.workflow_id ?? task.task_id)].map((id) => [data.tasks.get(id)?.id, id]),
    );
    const read = Object.keys(template.in).map((dep) => {
      const result = data.results.get(ids.get(dep) ?? '')?.result;
      const value = result === undefined ? undefined : (JSON.parse(result) as { value: string }).value;
      return [dep, value ?? (planned?.defaults === true ? 'none' : undefined)];
    });
    const input = template['input'] === undefined ? {} : { input: `got ${this.#wordOf(task.workflow_id)}` };
    return JSON.stringify({ ...template, in: Object.fromEntries(read), ...input });
  }

  #wordOf(workflow_id: string | null): string {
    return (JSON.parse(this.#shadow.data.inputs.get(workflow_id ?? '') ?? '{}') as { word: string }).word;
  }
}
