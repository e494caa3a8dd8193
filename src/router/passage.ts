import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import type { Passage } from '../core/ports/router.ts';
import { type HeardCall, judge, type Member } from './member.ts';

export type PassageParts = {
  readonly member: Member;
  readonly clock: Clock;
  /** It is made because another provider has not answered yet. */
  readonly hedge?: boolean | undefined;
  /** Told once, when the call has ended or has been given up. */
  readonly heard: (call: Omit<HeardCall, 'probe'>) => void;
  readonly left: () => void;
};

/** A place at a provider that is also the provider, so that its pool hears how the call went. */
export class CallPassage implements Passage, Provider {
  readonly #parts: PassageParts;
  readonly #arrived: () => void;
  #call: ProviderCall | null = null;
  #startedAt = 0;
  #open = true;
  #unheard = true;

  constructor(parts: PassageParts) {
    this.#parts = parts;
    // Between the place and the call the start may have to be written: nobody may close the provider meanwhile.
    this.#arrived = parts.member.connection.expect();
  }

  get provider(): Provider {
    return this;
  }

  get id(): string {
    return this.#parts.member.connection.id;
  }

  get protocol(): string {
    return this.#parts.member.connection.protocol;
  }

  get via(): Provider['via'] {
    return this.#parts.member.connection.via;
  }

  hasMethod(method: string): boolean {
    return this.#parts.member.connection.hasMethod(method);
  }

  call(call: ProviderCall): Promise<Answer> {
    this.#call = call;
    this.#startedAt = this.#parts.clock.monotonic();
    const { member, hedge = false } = this.#parts;
    const answered = member.connection.call(call, { hedge });
    this.#arrived();
    void answered.then((answer) => this.#heard(judge(answer)));
    return answered;
  }

  heard(answer: Answer, ms: number): void {
    this.#heard(judge(answer), ms);
  }

  /** A call that is given up before its answer was too slow where its time was up; otherwise nothing is known of it. */
  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#arrived();
    if (this.#unheard) this.#heard(judge(this.#call === null ? { word: 'withdrawn' } : givenUp(this.#call)));
    this.#parts.left();
  }

  /** Somebody else was quicker. That is no failure; `slow`: it is known now that it takes at least so long. */
  outrun(slow: boolean): void {
    this.#heard({ verdict: 'nothing', slow, pause_ms: 0 });
    this.leave();
  }

  #heard(
    said: Pick<HeardCall, 'verdict' | 'slow' | 'pause_ms'>,
    ms = this.#parts.clock.monotonic() - this.#startedAt,
  ): void {
    if (!this.#unheard) return;
    this.#unheard = false;
    this.#parts.heard({ ...said, ms });
  }
}

function givenUp({ signal }: ProviderCall): Answer {
  const reason: unknown = signal.reason;
  return reason instanceof GleitzeitError
    ? { word: 'failed', error: reason.toRecord() }
    : { word: 'withdrawn' };
}
