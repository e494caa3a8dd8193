import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { judge } from '../core/pool/verdict.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import type { Passage, RouteRequest } from '../core/ports/router.ts';
import type { EndedCall, Member } from './member.ts';
import { isThereAnother, usualMs } from './others.ts';

export type PassageParts = {
  readonly member: Member;
  /** All of the pool. */
  readonly members: () => readonly Member[];
  readonly request: RouteRequest;
  readonly clock: Clock;
  /** It is made because another provider has not answered yet. */
  readonly hedge?: boolean | undefined;
  /** Told once, when the call has ended or has been given up. */
  readonly heard: (call: EndedCall) => void;
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
    void answered.then((answer) => this.#heard(answer));
    return answered;
  }

  heard(answer: Answer, ms: number): void {
    this.#heard(answer, ms);
  }

  others(asked: readonly string[] = [this.id]): boolean {
    const { members, request, clock } = this.#parts;
    return isThereAnother(members(), request, { asked, now: clock.monotonic() });
  }

  /** A call that is given up before its answer was too slow where its time was up; otherwise nothing is known of it. */
  leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#arrived();
    if (this.#unheard) this.#heard(this.#call === null ? { word: 'withdrawn' } : givenUp(this.#call));
    this.#parts.left();
  }

  /** Somebody else was quicker. That is no failure; `slow`: it is known now that it takes at least so long. */
  outrun(slow: boolean): void {
    this.#heard({ word: 'withdrawn' }, this.#ms, slow);
    this.leave();
  }

  get #ms(): number {
    return this.#parts.clock.monotonic() - this.#startedAt;
  }

  #heard(answer: Answer, ms = this.#ms, slow = false): void {
    if (!this.#unheard) return;
    this.#unheard = false;
    const { member, members, request, heard } = this.#parts;
    const said = judge(answer, {
      ms,
      own_ms: () => member.times.usual(request.method),
      usual_ms: () => usualMs(members(), request.method),
    });
    heard({ ...said, slow: said.slow || slow, ms });
  }
}

function givenUp({ signal }: ProviderCall): Answer {
  const reason: unknown = signal.reason;
  return reason instanceof GleitzeitError
    ? { word: 'failed', error: reason.toRecord() }
    : { word: 'withdrawn' };
}
