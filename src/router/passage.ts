import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import type { Passage } from '../core/ports/router.ts';
import { type HeardCall, judge, type Member } from './member.ts';

export type PassageParts = {
  readonly member: Member;
  readonly clock: Clock;
  /** Told once, when the call has ended or has been given up. */
  readonly heard: (call: Omit<HeardCall, 'probe'>) => void;
  readonly left: () => void;
};

/** A place at a provider that is also the provider, so that its pool hears how the call went. */
export class CallPassage implements Passage, Provider {
  readonly #parts: PassageParts;
  #call: ProviderCall | null = null;
  #startedAt = 0;
  #open = true;
  #unheard = true;

  constructor(parts: PassageParts) {
    this.#parts = parts;
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

  hasMethod(method: string): boolean {
    return this.#parts.member.connection.hasMethod(method);
  }

  call(call: ProviderCall): Promise<Answer> {
    this.#call = call;
    this.#startedAt = this.#parts.clock.monotonic();
    const answered = this.#parts.member.connection.call(call);
    void answered.then((answer) => this.#heard(judge(answer)));
    return answered;
  }

  /** A call that is given up before its answer was too slow where its time was up; otherwise nothing is known of it. */
  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#unheard) this.#heard(judge(this.#call === null ? { word: 'withdrawn' } : givenUp(this.#call)));
    this.#parts.left();
  }

  #heard(said: Pick<HeardCall, 'verdict' | 'slow' | 'pause_ms'>): void {
    if (!this.#unheard) return;
    this.#unheard = false;
    this.#parts.heard({ ...said, ms: this.#parts.clock.monotonic() - this.#startedAt });
  }
}

function givenUp({ signal }: ProviderCall): Answer {
  const reason: unknown = signal.reason;
  return reason instanceof GleitzeitError
    ? { word: 'failed', error: reason.toRecord() }
    : { word: 'withdrawn' };
}
