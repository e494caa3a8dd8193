import { type Comeback, calledAgain, comesBack, endedAgain, lets, letsAt } from '../core/pool/comeback.ts';
import { type TurnedAway, takenAgain, turnedAway } from '../core/pool/turned-away.ts';
import type { Heard } from '../core/pool/verdict.ts';
import type { Pauses } from './pauses.ts';

/** What is told again of a pause, by a clock that differs a little, is no other pause: those are at least a second apart. */
const SAME_MS = 500;

/** For how long a provider is left alone because it turned calls away, and how many it gets afterwards. */
export class MemberPause {
  readonly #id: string;
  readonly #pauses: Pauses;
  readonly #begun: () => void;
  #turnedAway: TurnedAway | null = null;
  /** Of the last pause, over or not; null where there was none. */
  #comeback: Comeback | null = null;

  /** `begun` hears that it is left alone from now on. */
  constructor(id: string, pauses: Pauses, begun: () => void) {
    this.#id = id;
    this.#pauses = pauses;
    this.#begun = begun;
  }

  get until(): number {
    return this.#pauses.until(this.#id);
  }

  /** How many calls may begin as far as this goes. */
  lets(now: number): number {
    this.#listen(now);
    if (this.until > now) return 0;
    return this.#comeback === null ? Number.POSITIVE_INFINITY : lets(this.#comeback, now);
  }

  /** When another may begin by the passing of time alone, or null where nothing keeps it. */
  nextAt(now: number): number | null {
    if (this.until > now) return this.until;
    return this.#comeback === null ? null : letsAt(this.#comeback, now);
  }

  /** A call begins: after which pause, or null where that makes no difference. */
  enter(now: number): number | null {
    this.#listen(now);
    if (this.#comeback === null || lets(this.#comeback, now) === Number.POSITIVE_INFINITY) return null;
    this.#comeback = calledAgain(this.#comeback, now);
    return this.#comeback.from;
  }

  /** How a call ended. Also where it does not say for how long it wants to be left alone. */
  heard({ verdict, answered, pause_ms, ms, after }: PausedCall, now: number): void {
    this.#listen(now);
    if (this.#comeback !== null && after === this.#comeback.from)
      this.#comeback = endedAgain(this.#comeback, { well: verdict === 'well', now });
    const began = now - ms;
    if (pause_ms === null) {
      const said = turnedAway(this.#turnedAway, { began, now });
      if (said.pause_ms > 0) this.#leaveAlone({ ms: said.pause_ms, times: said.after.times }, now);
    } else if (pause_ms > 0) this.#leaveAlone({ ms: pause_ms, times: this.#turnedAway?.times ?? 0 }, now);
    else if (answered) this.#turnedAway = takenAgain(this.#turnedAway, began);
  }

  /** It may be asked now: if it wanted to be left alone, by one call first. */
  end(now: number): void {
    const keeps = this.lets(now) < Number.POSITIVE_INFINITY;
    this.#pauses.ended(this.#id);
    if (this.#turnedAway !== null) this.#turnedAway = { times: 0, until: now };
    if (keeps) this.#comeback = comesBack(now, this.#comeback, now);
  }

  #leaveAlone({ ms, times }: { ms: number; times: number }, now: number): void {
    const before = this.until;
    this.#pauses.asked(this.#id, ms, times);
    if (this.until > before) this.#begin({ until: this.until, times }, now);
  }

  /** Another engine may have been turned away, or an earlier life of this one. */
  #listen(now: number): void {
    const { until } = this;
    if (until > (this.#comeback?.from ?? Number.NEGATIVE_INFINITY) + SAME_MS)
      this.#begin({ until, times: this.#pauses.times(this.#id) }, now);
  }

  #begin(away: TurnedAway, now: number): void {
    this.#turnedAway = away;
    this.#comeback = comesBack(away.until, this.#comeback, now);
    this.#begun();
  }
}

/** `after`: what `enter` answered. */
export type PausedCall = Pick<Heard, 'verdict' | 'answered' | 'pause_ms'> & {
  readonly ms: number;
  readonly after: number | null;
};
