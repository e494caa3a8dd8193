import { isInLine } from '../../../src/core/parked.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { Client } from '../world/client.ts';
import type { Fleet } from '../world/fleet.ts';
import type { Nature } from '../world/nature.ts';
import type { Subscriber } from '../world/subscriber.ts';
import type { Weather } from '../world/weather.ts';
import type { Calls } from './calls.ts';
import type { Log } from './log.ts';
import { graceOf, patienceOf } from './patience.ts';
import type { Pauses } from './pauses.ts';
import type { Shadow } from './step.ts';
import type { Told } from './told.ts';

export type ProgressParts = {
  readonly nature: Nature;
  readonly fleet: Fleet;
  readonly client: Client;
  readonly shadow: Shadow;
  readonly calls: Calls;
  readonly told: Told;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly subscribers: readonly Subscriber[];
};

const EVERY_MS = 20;
/** An engine without a provider for a task leaves it to others for so long, though it is due. */
const LEFT_TO_OTHERS_MS = 2000;

/**
 * Once nothing goes wrong, everything that can move does so at once: a task that is ready is started, a retry that is
 * due is queued, a lost task is rescued, a waiter is told. Whoever has no excuse for standing still was forgotten.
 */
export class Progress {
  readonly #parts: ProgressParts;
  readonly #idle = new Map<string, { readonly state: string; readonly since: number }>();

  constructor(parts: ProgressParts) {
    this.#parts = parts;
  }

  watch(): void {
    const { nature, fleet, pauses } = this.#parts;
    pauses.look(fleet.alive());
    if (!fleet.complete) nature.disturb();
    if (nature.calm && nature.now - nature.disturbedAt > graceOf(nature)) this.#look();
    else this.#idle.clear();
    nature.scheduler.after(EVERY_MS, () => this.watch());
  }

  #look(): void {
    const { shadow, nature } = this.#parts;
    for (const row of shadow.tasks.values()) {
      const trouble = row.settled_at === null ? this.#troubleOf(row) : null;
      this.#judge(row.task_id, trouble === null ? null : `${trouble} ${row.fence} ${row.attempt_count}`);
    }
    for (const wait of this.#parts.client.waits) {
      const row = wait.run ? shadow.runs.get(wait.key) : shadow.tasks.get(wait.key);
      const forgotten = row?.settled_at != null && wait.process.state === 'running';
      this.#judge(
        `wait for ${wait.key} at ${wait.process.name} since ${wait.since}`,
        forgotten ? 'it has settled' : null,
      );
    }
    const { exclusive } = nature.weather;
    for (const { names, cursor, since } of exclusive ? this.#parts.subscribers : []) {
      const last = this.#parts.log.events.findLast(({ event }) => names?.includes(event) ?? true);
      this.#judge(
        `subscriber to ${names ?? 'all'}`,
        since !== null && cursor < (last?.cursor ?? 0) ? `stands at ${cursor} since ${since}` : null,
      );
    }
    for (const process of this.#parts.fleet.alive()) {
      const useless = new Set(this.#parts.calls.uselessOf(process).map(({ call_id }) => call_id));
      this.#judge(`calls of ${process.name}`, useless.size > 0 ? `not ended: ${[...useless].join()}` : null);
    }
    if (nature.violations.length > 0) this.#idle.clear();
  }

  #judge(what: string, state: string | null): void {
    const { nature } = this.#parts;
    const idle = this.#idle.get(what);
    if (state === null) this.#idle.delete(what);
    else if (idle?.state !== state) this.#idle.set(what, { state, since: nature.now });
    else if (nature.now - idle.since > patienceOf(this.#parts.nature)) {
      nature.fail('nothing is forgotten', `${what}: ${state}, for ${Math.round(nature.now - idle.since)} ms`);
    }
  }

  #troubleOf(row: TaskRow): string | null {
    if (row.status === 'waiting') return null;
    const { nature } = this.#parts;
    const now = this.#storeNow();
    if (row.owner !== null) return this.#heldIdly(row);
    // What waits in the queue past its time is found by looking around; a retry is expected to the moment.
    const slack = nature.weather.poll_ms + 50 + (row.parked?.startsWith('provider ') ? LEFT_TO_OTHERS_MS : 0);
    const due = row.status === 'queued' ? (row.due_at ?? now) + slack : row.due_at;
    if (row.due_at !== null && due !== null && due <= now) return `was due at ${row.due_at}`;
    if (isInLine(row.parked)) return this.#couldCome(row) ? 'waits in a line though there is a place' : null;
    if (row.status !== 'queued' || row.parked !== null || this.#parts.pauses.isPaused(row.lane)) return null;
    return this.#somebodyIsFree(row.lane) ? 'is ready and nobody takes it' : null;
  }

  #heldIdly(row: TaskRow): string | null {
    const { calls, nature } = this.#parts;
    const owner = row.owner ?? '';
    const process = calls.processOf(owner);
    if (calls.isBusy(owner, patienceOf(this.#parts.nature))) return null;
    const running = process?.alive ? calls.possiblyActiveOf(process) : [];
    if (running.some(({ task_id }) => task_id === row.task_id)) return null;
    if (process?.alive && process.sending.has(row.task_id)) return null;
    // Whose slots are all taken keeps the rest waiting.
    if (running.length + (process?.sending.size ?? 0) >= nature.weather.concurrency) return null;
    return `is held by ${owner} (${process?.name}), who does nothing with it`;
  }

  /**
   * Whether every engine that serves the task has room for it, so that nobody is left who would call it later, and one has a
   * slot to run it in: until then it is called, and waits in the queue. Among several engines, those who find a line
   * that another left behind may take their time.
   */
  #couldCome({ lane }: TaskRow): boolean {
    const { fleet, nature, pauses } = this.#parts;
    if (pauses.isPaused(lane) || !(nature.weather.exclusive || nature.weather.fair)) return false;
    const able = fleet.alive().filter((process) => fleet.servedBy(process).includes(lane));
    return this.#somebodyIsFree(lane) && able.every((process) => process.doorman?.hasRoom(lane));
  }

  /** An engine that could run the task and does not have its hands full. */
  #somebodyIsFree(lane: string): boolean {
    const { fleet, calls, nature, shadow } = this.#parts;
    const able = fleet.alive().filter((process) => fleet.servedBy(process).includes(lane));
    const held = [...shadow.tasks.values()].filter(({ owner }) => owner !== null);
    return able.some((process) => {
      const own = held.filter(({ owner }) => calls.processOf(owner ?? '') === process).length;
      return own < mostHeld(nature.weather);
    });
  }

  #storeNow(): number {
    const { nature, shadow } = this.#parts;
    return nature.weather.exclusive ? (shadow.data.journal.at(-1)?.at ?? 0) : nature.databaseNow();
  }
}

/** What comes without its payloads counts as large, and an engine holds four large tasks at most. */
function mostHeld({ concurrency, payloads_left_out }: Weather): number {
  return payloads_left_out > 0 ? Math.min(concurrency, 4) : concurrency;
}
