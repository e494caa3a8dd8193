import type { AttemptName } from '../core/attempt-name.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ClaimedTask, ClaimRequest, CommitAnswer } from '../core/ports/store.ts';
import { attempt } from './attempt.ts';
import type { AttemptParts } from './attempt-parts.ts';
import { CallEnd } from './deadline.ts';
import { cancelled, ownAnswer, stopping, taken } from './ends.ts';
import type { Ended, Held, Waiting } from './held.ts';
import { foundBy, markRouted } from './lanes.ts';
import { Load } from './load.ts';
import type { QueuePause } from './queue-pause.ts';
import { Room, type RoomParts } from './room.ts';
import { type SettleParts, settle } from './settle.ts';
import { Window } from './window.ts';

export type DispatcherParts = AttemptParts &
  SettleParts &
  RoomParts & {
    readonly logger: Logger;
    readonly pause: QueuePause;
    /** A task was let go without an outcome: the store still has it down as ours. */
    readonly unsettled: (task_id: string, trouble: GleitzeitError) => void;
  };

/**
 * Takes tasks from the store and runs them, as many at once as there are slots. What it holds is a small window over
 * the store, whatever the backlog (invariant 6). A slot is free again when the call has ended: while its outcome is
 * committed the next call runs. Of both, slots and window, each lane has its share.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #held = new Map<string, Held>();
  readonly #load = new Load();
  readonly #window = new Window();
  readonly #room: Room;
  /** Runs that are being paused. */
  readonly #paused = new Set<string | null>();
  #busy = 0;
  #owner: string | null = null;
  #mayBeReady = true;
  /** The last claim brought all it asked for. */
  #filled = false;
  #idle: (() => void)[] = [];

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#room = new Room(parts);
  }

  /** From now on tasks are claimed in this name. */
  open(owner: string): void {
    this.#owner = owner;
    this.wake();
  }

  /** There may be something to claim that no commit of ours made ready. */
  wake(): void {
    this.#mayBeReady = true;
    // Also while all room is asked for: the claim under way may have looked before there was something.
    if (this.#owner !== null) this.#parts.writer.wake();
  }

  wants(): boolean {
    return this.#owner !== null && this.#mayBeReady && this.#room.left > 0 && this.#load.room > 0;
  }

  /** What to claim with the commit that starts now. One that writes claims too: its writes may make tasks ready. */
  claim(): ClaimRequest | null {
    const open = this.#parts.pause.open(this.#parts.router.protocols());
    const limit = Math.min(this.#room.limit(open.length), this.#load.room);
    if (this.#owner === null || limit <= 0) return null;
    const claiming = this.#parts.lanes.claiming(open, limit, this.#room.shares(limit));
    if (claiming.lanes.length === 0) return null;
    this.#room.ask(limit);
    return { owner: this.#owner, limit, ...claiming };
  }

  /** What a commit brought is held from here on; `committed` then works on it. */
  received(answer: CommitAnswer, claim: ClaimRequest | null): void {
    this.#answered(claim);
    this.#mayBeReady = claim === null;
    this.#filled = claim !== null && answer.claimed.length >= claim.limit;
    for (const { task_id, owner } of answer.revoked) {
      if (this.#held.get(task_id)?.lease.owner === owner) this.revoke(task_id, cancelled);
    }
    if (claim === null) return;
    if (claim.owner !== this.#owner) this.#decline(claim.owner, answer.claimed);
    else this.#takeAll(answer, claim.owner);
    const found = foundBy(claim, answer.claimed);
    if (found.more) this.#mayBeReady = true;
    this.#parts.lines.allClaimed(found, (task_id) => this.#held.has(task_id));
  }

  /** What was paused and has not started goes back, and what may go on is claimed again. */
  pauseChanged(): void {
    const back = this.#window.takeOut((lane) => this.#parts.pause.isPaused(lane));
    for (const held of back) this.#letGo(held);
    const claims = back.map(({ claimed }) => claimed);
    if (this.#owner !== null) this.#decline(this.#owner, claims);
    this.wake();
  }

  /** What waits here of a run waits on until `written` has ended. */
  async startNothingOf<Answer>(workflow_id: string, written: () => Promise<Answer>): Promise<Answer> {
    this.#paused.add(workflow_id);
    try {
      return await written();
    } finally {
      this.#paused.delete(workflow_id);
      this.#startNext();
    }
  }

  /** Nothing will come of a claim. */
  failed(claim: ClaimRequest | null): void {
    this.#answered(claim);
  }

  #answered(claim: ClaimRequest | null): void {
    if (claim === null) return;
    this.#room.answered(claim.limit);
    this.#parts.lanes.answered(claim);
  }

  committed(claim: ClaimRequest | null): void {
    this.#startNext();
    // All room was asked for by the commits before it: what this one made ready was not there yet for their claims.
    // Nor do those who came first keep others out that a free slot is for.
    const looksOn = claim === null || this.#load.heavy || (this.#filled && this.#room.freeSlots > 0);
    if (looksOn && this.wants()) this.#parts.writer.wake();
  }

  /** Held task ids, for whoever compares them with the store. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  leases(): { task_id: string; fence: number }[] {
    return [...this.#held.values()].map(({ lease: { task_id, fence } }) => ({ task_id, fence }));
  }

  /** A commit has settled it: whether somebody here holds it, and tells of that. */
  tells(task_id: string): boolean {
    const held = this.#held.get(task_id);
    if (held !== undefined) held.settled = true;
    return held !== undefined;
  }

  leaseOf(task_id: string) {
    return this.#held.get(task_id)?.lease ?? null;
  }

  /** The task is not ours any more: its call is ended and its outcome dropped. */
  revoke(task_id: string, why = taken): void {
    const held = this.#held.get(task_id);
    if (held === undefined) return;
    held.gone = true;
    this.#letGo(held);
    this.#window.drop(held);
    held.end.end(why);
  }

  /** This attempt has been answered: where its task is held here, there is nothing left to do for it. */
  answered({ task_id, generation, attempt }: AttemptName): void {
    const task = this.#held.get(task_id)?.claimed.task;
    if (task?.generation === generation && task.attempt_count + 1 === attempt) this.revoke(task_id);
  }

  revokeAll(why = taken): void {
    for (const task_id of this.held()) this.revoke(task_id, why);
  }

  /** Ends the calls that still run; their tasks go on elsewhere, with as many attempts left as before. Whether there were any. */
  withdrawAll(): boolean {
    for (const { end } of this.#held.values()) end.end(stopping);
    return this.#held.size > 0;
  }

  /** Takes no more, and gives back what has not started. */
  async quiet(): Promise<void> {
    const owner = this.#owner;
    this.#owner = null;
    const waiting = this.#window.takeOut(() => true);
    for (const held of waiting) this.#letGo(held);
    if (owner === null || waiting.length === 0) return;
    const leases = waiting.map(({ lease: { task_id, fence } }) => ({ task_id, fence }));
    await this.#parts.writer.write({ kind: 'release', owner, leases });
  }

  /** Resolves when the last running attempt has settled. */
  async drained(): Promise<void> {
    if (this.#busy === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    await promise;
  }

  /** What is claimed and not wanted, such as by an engine that went quiet meanwhile, goes straight back. */
  #decline(owner: string, claimed: readonly ClaimedTask[]): void {
    if (claimed.length === 0) return;
    const leases = claimed.map(({ task: { task_id, fence } }) => ({ task_id, fence }));
    this.#parts.writer.write({ kind: 'release', owner, leases }).catch((thrown: unknown) => {
      const { message } = GleitzeitError.from(thrown);
      this.#parts.logger.warn('claims could not be given back; they are rescued later', { error: message });
    });
  }

  /** But for what was paused while the claim was under way, and what is too much at once. */
  #takeAll({ claimed, now }: CommitAnswer, owner: string): void {
    // Taken from us and claimed by us again: the call for the old claim is of no use any more.
    for (const { task } of claimed) this.revoke(task.task_id);
    const { keep, rest } = this.#load.choose(claimed);
    if (rest.length > 0) this.#mayBeReady = true;
    const back = [...rest];
    for (const one of keep) {
      if (this.#parts.pause.isPaused(one.task.lane)) back.push(one);
      else this.#take(this.#load.add(one), now);
    }
    this.#decline(owner, back);
  }

  #take(claimed: ClaimedTask, now: number): void {
    const { task_id, owner, fence, expires_at } = claimed.task;
    const held: Held = {
      claimed,
      lease: { task_id, owner: owner ?? '', fence },
      left_ms: expires_at === null ? Number.POSITIVE_INFINITY : expires_at - now,
      claimedAt: this.#parts.clock.monotonic(),
      end: new CallEnd(),
      gone: false,
      routed: false,
      settled: false,
    };
    this.#held.set(task_id, held);
    this.#window.add(held);
    this.#room.hold(claimed.task.lane);
    this.#parts.lanes.took(claimed.task.lane);
  }

  #letGo(held: Held): void {
    this.#held.delete(held.lease.task_id);
    this.#room.letGo(held.claimed.task.lane);
    this.#load.drop(held.claimed);
    if (this.#room.keptBack) this.#mayBeReady = true;
    if (held.routed) return;
    markRouted(this.#parts.lanes, held, 'none');
    // What was claimed instead of others comes to nothing.
    this.#mayBeReady = true;
  }

  #startNext(): void {
    const { mayStart } = this.#room;
    const isHeldBack = ({ claimed }: Held) => this.#paused.has(claimed.task.workflow_id);
    while (!this.#window.isEmpty && this.#room.freeSlots > 0) {
      const held = this.#window.next({ mayStart, isHeldBack });
      if (held === null) return;
      void this.#run(held);
    }
  }

  async #run(held: Held): Promise<void> {
    this.#busy++;
    const trouble = await this.#callAndSettle(held);
    if (this.#held.get(held.lease.task_id) === held) this.#letGo(held);
    this.#busy--;
    if (trouble !== null) this.#parts.unsettled(held.lease.task_id, trouble);
    if (this.wants()) this.#parts.writer.wake();
    if (this.#busy === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #callAndSettle(held: Held): Promise<GleitzeitError | null> {
    try {
      const ended = await this.#call(held);
      const where = ended === null ? 'back' : 'written' in ended ? await ended.written : null;
      if (where === 'away' && !held.settled) return null;
      // The commit that took it back or away may have settled it too, and left the telling to us, who held it then.
      if (ended === null || 'written' in ended) this.#parts.outcomes.settled(held.lease.task_id);
      else if (held.gone) ended.span?.ended(null, ended.start?.ago_ms ?? 0);
      else await settle(this.#parts, held, { ...ended, answer: ownAnswer(held, ended) });
      return null;
    } catch (thrown) {
      return GleitzeitError.from(thrown);
    }
  }

  async #call(held: Held): Promise<Ended | Waiting | null> {
    const { lane } = held.claimed.task;
    this.#room.start(lane);
    try {
      return await attempt(this.#parts, held);
    } finally {
      this.#room.end(lane);
      this.#startNext();
    }
  }
}
