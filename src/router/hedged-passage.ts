import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Provider, ProviderCall, Report } from '../core/ports/provider.ts';
import type { Passage } from '../core/ports/router.ts';
import type { CallPassage } from './passage.ts';

export type HedgedParts = {
  readonly first: CallPassage;
  readonly timers: Timers;
  /** Without an answer for so long, somebody else is asked too. */
  readonly delay_ms: number;
  /** Further calls at most. */
  readonly max: number;
  /** A place at somebody who has not been asked; null where there is none now, or there may be no more such calls. */
  readonly another: (asked: readonly string[]) => CallPassage | null;
  /** It came to further calls. */
  readonly told: (ended: HedgeEnd) => void;
};

/** Whether a further call brought the answer, or the first one did after all; or neither did. */
export type HedgeEnd = 'won' | 'lost' | 'failed';

type Leg = {
  readonly passage: CallPassage;
  readonly end: AbortController;
  running: boolean;
  failed: boolean;
  /** Some of what it reported was not told on. */
  unheard: boolean;
};

/**
 * The same call to one provider, and to another where the first is slow. The first good answer counts and the others are
 * given up; an error counts only when nobody is left who could still answer. To whoever makes the call it is one provider,
 * which goes by the name of the one that answered.
 */
export class HedgedPassage implements Passage, Provider {
  readonly #parts: HedgedParts;
  readonly #legs: Leg[] = [];
  readonly #answered = Promise.withResolvers<Answer>();
  #known: CallPassage;
  #call: ProviderCall | null = null;
  #cancel: () => void = () => {};
  #over = false;
  /** Whose reports were told on last. */
  #told: Leg | null = null;

  constructor(parts: HedgedParts) {
    this.#parts = parts;
    this.#known = parts.first;
  }

  get provider(): Provider {
    return this;
  }

  get id(): string {
    return this.#known.id;
  }

  get protocol(): string {
    return this.#known.protocol;
  }

  get via(): Provider['via'] {
    return this.#known.via;
  }

  hasMethod(method: string): boolean {
    return this.#known.hasMethod(method);
  }

  call(call: ProviderCall): Promise<Answer> {
    this.#call = call;
    const { signal } = call;
    signal.addEventListener('abort', this.#endAll);
    this.#begin(this.#parts.first, call);
    if (signal.aborted) this.#endAll();
    else this.#arm(call);
    return this.#answered.promise;
  }

  heard(answer: Answer, ms: number): void {
    this.#parts.first.heard(answer, ms);
  }

  others(): boolean {
    return this.#parts.first.others(this.#legs.map(({ passage }) => passage.id));
  }

  failed(): readonly string[] {
    const others = this.#legs.filter(({ passage, failed }) => failed && passage !== this.#known);
    return others.map(({ passage }) => passage.id);
  }

  leave(): void {
    this.#finish('failed');
    this.#parts.first.leave();
    for (const leg of this.#legs) {
      if (leg.running) this.#giveUp(leg, 'nobody asks for the answer any more');
      leg.passage.leave();
    }
  }

  #arm(call: ProviderCall): void {
    this.#cancel = this.#parts.timers.after(this.#parts.delay_ms, () => this.#late(call));
  }

  /** Where nobody can be asked now, it is looked again after the same time. */
  #late(call: ProviderCall): void {
    const passage = this.#parts.another(this.#legs.map((leg) => leg.passage.id));
    if (passage !== null) this.#begin(passage, call);
    if (this.#legs.length <= this.#parts.max) this.#arm(call);
  }

  #begin(passage: CallPassage, call: ProviderCall): void {
    const end = new AbortController();
    const leg: Leg = { passage, end, running: true, failed: false, unheard: false };
    this.#legs.push(leg);
    const told = {
      ...call,
      signal: end.signal,
      report: call.report && this.#reportOf(leg, call.report),
      // What one of them keeps would be handed to whoever is asked next.
      keep: undefined,
    } satisfies ProviderCall;
    void passage.call(told).then((answer) => this.#heard(leg, answer));
  }

  /** Two that tell of the same work would be heard in a muddle: only the first of those that still run is. */
  #reportOf(leg: Leg, report: Report): Report {
    return (progress, from) => {
      if (this.#legs.find(({ running }) => running) !== leg) {
        leg.unheard = true;
        return;
      }
      const anew = leg.unheard || (this.#told !== null && this.#told !== leg);
      leg.unheard = false;
      this.#told = leg;
      report(progress, anew ? { ...from, anew } : from);
    };
  }

  #heard(leg: Leg, answer: Answer): void {
    leg.running = false;
    if (this.#over) return;
    // What a call comes to that was given up says nothing of whom it was with.
    leg.failed = answer.word === 'failed' && this.#call?.signal.aborted === false;
    const running = this.#legs.find((each) => each.running);
    if (answer.word === 'failed' && running !== undefined) {
      if (leg.failed && leg.passage === this.#known) this.#known = running.passage;
      leg.passage.leave();
      return;
    }
    this.#known = leg.passage;
    this.#finish(wordFor(answer, leg === this.#legs[0]));
    for (const other of this.#legs) if (other.running) this.#giveUp(other, 'another provider has answered');
    this.#answered.resolve(answer);
  }

  #finish(end: HedgeEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    this.#call?.signal.removeEventListener('abort', this.#endAll);
    if (this.#legs.length > 1) this.#parts.told(end);
  }

  /** That the first was slow is news of it; of the others, which had less time, it is none. */
  #giveUp(leg: Leg, why: string): void {
    leg.running = false;
    leg.passage.outrun(leg === this.#legs[0]);
    leg.end.abort(new GleitzeitError('GLZ2009', why));
  }

  /** The caller gives up. The first is judged by it as it would be alone; who came later had less time than it was due. */
  readonly #endAll = (): void => {
    this.#cancel();
    const reason: unknown = this.#call?.signal.reason;
    for (const leg of this.#legs.slice(1)) if (leg.running) leg.passage.outrun(false);
    for (const leg of this.#legs) leg.end.abort(reason);
  };
}

function wordFor(answer: Answer, isFirst: boolean): HedgeEnd {
  if (answer.word === 'failed') return 'failed';
  return isFirst ? 'lost' : 'won';
}
