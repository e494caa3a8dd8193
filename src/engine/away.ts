import type { Answer } from '../core/answer.ts';
import type { AttemptName } from '../core/attempt-name.ts';
import { isAway, isCurrent } from '../core/away.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { ArrivedNews, CalledMethod } from '../core/ports/dispatch.ts';
import type { AttemptSpan } from '../core/ports/observer.ts';
import type { Passage } from '../core/ports/router.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { ProgressTold } from '../core/progress.ts';
import { inTurns } from './members.ts';
import { CallReports, Reporter } from './reporter.ts';
import type { Ride } from './rides.ts';
import type { Writer } from './writer.ts';

/** News may be lost, so after a while the store is asked; then after longer and longer whiles. */
const LOOK_MS = 5000;
const SELDOM_MS = 60_000;

export type AwayParts = {
  readonly writer: Writer;
  readonly reads: StoreReads;
  readonly schemas: Schemas;
  readonly clock: Clock;
  readonly timers: Timers;
};

/** A call of ours that was handed over, or is being so. */
export type AwayCall = AttemptName & {
  readonly passage: Passage;
  readonly span: AttemptSpan;
  readonly called: CalledMethod;
  /** What was in the clear when it left, and has to be kept out of what is told of it. */
  readonly secrets: readonly string[];
};

type Out = {
  readonly call: AwayCall;
  readonly since: number;
  readonly reports: CallReports;
  /** Known to be away: until then its engine holds the task. */
  handed: boolean;
  startedAt: number | null;
  ride: Ride | null;
  lookAt: number;
};

/**
 * The calls that this engine handed over, as long as they take a place at their provider: until their answer comes here, somebody
 * says that they have ended, or the store has them down as ended. Nothing is lost with it but those places: it is the store
 * that knows what is away.
 */
export class Away {
  readonly #parts: AwayParts;
  /** By task: what was away of it before has ended without our hearing of it. */
  readonly #out = new Map<string, Out>();
  #cancelLook: (() => void) | null = null;
  #closed = false;

  constructor(parts: AwayParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#out.size;
  }

  /** From now on its answer may come, even before it is known to have left. */
  open(call: AwayCall): void {
    const before = this.#out.get(call.task_id);
    if (before !== undefined) this.#leave(before);
    const since = this.#parts.clock.monotonic();
    const reports = new CallReports(() => this.#reporterOf(call));
    const lookAt = since + LOOK_MS;
    this.#out.set(call.task_id, { call, since, reports, handed: false, startedAt: null, ride: null, lookAt });
    if (this.#closed) this.drop(call);
  }

  /** The store has it down as away. */
  handedOver(name: AttemptName): void {
    const out = this.#find(name);
    if (out === null) return;
    out.handed = true;
    if (out.startedAt !== null) this.#rideAlong(out);
    this.#expectLook();
  }

  /** It came to nothing, or somebody else knows how it ended. */
  drop(name: AttemptName): void {
    const out = this.#find(name);
    if (out !== null) this.#leave(out);
  }

  /** Its answer is here; null where it was not ours, or its place is free already. */
  take(name: AttemptName): AwayCall | null {
    const out = this.#find(name);
    if (out === null) return null;
    this.#out.delete(name.task_id);
    out.ride?.drop();
    out.reports.end(!out.handed);
    return out.call;
  }

  /** What was in the clear in a call of ours when it left; null where it is not, or no longer, known here. */
  secretsOf(name: AttemptName): readonly string[] | null {
    return this.#find(name)?.call.secrets ?? null;
  }

  news(news: ArrivedNews): void {
    const out = this.#find(news);
    if (out === null) return;
    if (news.kind === 'ended') this.#leave(out);
    else if (news.kind === 'started') this.#started(out, news.ago_ms);
    else if (out.handed) out.reports.report(news.progress);
  }

  /** What is away is left to others. */
  close(): void {
    this.#closed = true;
    this.#cancelLook?.();
    this.#cancelLook = null;
    for (const out of [...this.#out.values()]) this.#leave(out);
  }

  #find({ task_id, generation, attempt }: AttemptName): Out | null {
    const out = this.#out.get(task_id);
    return out?.call.generation === generation && out.call.attempt === attempt ? out : null;
  }

  #leave(out: Out): void {
    this.#out.delete(out.call.task_id);
    out.ride?.drop();
    out.reports.end(true);
    out.call.span.left();
    out.call.passage.leave();
  }

  #started(out: Out, ago_ms: number): void {
    if (out.startedAt !== null) return;
    out.startedAt = this.#parts.clock.monotonic() - ago_ms;
    if (out.handed) this.#rideAlong(out);
  }

  /** Most calls have ended before it is worth a line in the log that they began. */
  #rideAlong(out: Out): void {
    const { task_id, generation, attempt } = out.call;
    const ago = () => Math.max(0, this.#parts.clock.monotonic() - (out.startedAt ?? out.since));
    const name = { task_id, generation, attempt };
    out.ride = this.#parts.writer.ride(() => ({ kind: 'start_away', ...name, ago_ms: ago() }));
  }

  #reporterOf({ task_id, generation, attempt, called, secrets }: AwayCall): Reporter {
    const secretOutput = this.#parts.schemas.secrets(called.protocol, called.method).result.length > 0;
    const name = { task_id, generation, attempt };
    const write = (told: ProgressTold) => this.#parts.writer.write({ kind: 'progress_away', ...name, told });
    return new Reporter(this.#parts, { write, secrets, secretOutput });
  }

  #expectLook(): void {
    if (this.#cancelLook !== null || this.#closed) return;
    this.#cancelLook = this.#parts.timers.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const now = this.#parts.clock.monotonic();
    const due = [...this.#out.values()].filter(({ handed, lookAt }) => handed && lookAt <= now);
    await inTurns(due, (out) => this.#lookAt(out, now));
    this.#cancelLook = null;
    if (this.#out.size > 0) this.#expectLook();
  }

  async #lookAt(out: Out, now: number): Promise<void> {
    out.lookAt = now + Math.min(SELDOM_MS, Math.max(LOOK_MS, now - out.since));
    // What cannot be read now is looked at the next time.
    const found = await this.#parts.reads.task(out.call.task_id).catch(() => undefined);
    if (found === undefined || this.#find(out.call) !== out) return;
    if (found === null || !isAway(found.task) || !isCurrent(found.task, out.call)) this.#leave(out);
  }
}

/** What an answer says of the service that gave it, for whoever routed the call; and its place is free. */
export function leaveWith({ passage }: AwayCall, answer: Answer, ms: number): void {
  passage.heard?.(answer, ms);
  passage.leave();
}
