import type { Answer, OutsideWait } from '../../../src/core/answer.ts';
import type { ProviderCall } from '../../../src/core/ports/provider.ts';
import type { Behaviour, CallRecord } from './call-record.ts';
import type { Dice } from './dice.ts';
import type { Nature } from './nature.ts';

export type AskingWatch = {
  /** A call was told that what it keeps is durable. */
  kept(record: Pick<CallRecord, 'task_id' | 'attempt'>, text: string): void;
  /** Somebody has to answer. */
  asked(): void;
  /** The service has gone on with it, and wants to say so. */
  callsBack(task_id: string, token: string): void;
};

type AskingCall = Pick<ProviderCall, 'task_id' | 'keep' | 'callback'>;
type AskingRecord = Pick<CallRecord, 'task_id' | 'attempt' | 'call_id'> & {
  readonly process: { deliver(ms: number, call: () => void): unknown };
};

/** So often a call may ask before it has to do its work. */
const MOST_QUESTIONS = 4;

/** Services that need somebody outside before they are done. By draws of their own: worlds without them are what they were. */
export class Asking {
  readonly #nature: Nature;
  readonly #watch: AskingWatch;
  readonly #dice: Dice;
  readonly #asks: boolean;
  readonly #questions = new Map<string, number>();
  #values = 0;

  constructor(nature: Nature, watch: AskingWatch) {
    this.#nature = nature;
    this.#watch = watch;
    this.#dice = nature.dice.fork('asking');
    this.#asks = this.#dice.chance(0.3);
  }

  /** What a call does in the place of what it would have done. */
  instead(record: AskingRecord, call: AskingCall, would: Behaviour): Behaviour {
    if (!this.#asks) return would;
    if (this.#dice.chance(0.4)) this.#keepSoon(record, call);
    const asked = this.#questions.get(record.call_id) ?? 0;
    const isDone = !(would.words instanceof Error) && would.words.word === 'done';
    if (!isDone || asked >= MOST_QUESTIONS || !this.#dice.chance(0.5)) return would;
    this.#questions.set(record.call_id, asked + 1);
    this.#watch.asked();
    return { ...would, words: this.#question(call) };
  }

  /** It may be too late by then, and the service does not know. */
  #keepSoon(record: AskingRecord, { keep }: AskingCall): void {
    const value = `kept-${++this.#values}`;
    record.process.deliver(this.#dice.between(0, 60), () => {
      keep?.(value).then(
        (recorded) => {
          if (recorded) this.#watch.kept(record, JSON.stringify(value));
        },
        () => {},
      );
    });
  }

  #question({ task_id, callback }: AskingCall): Answer {
    const kind = this.#dice.pick(['input', 'auth', 'notification', 'notification'] as const);
    const token = kind === 'notification' ? (callback?.token ?? null) : null;
    if (token !== null) this.#callBack(task_id, token);
    const wait: OutsideWait = {
      kind,
      ask: `question ${++this.#values}`,
      kept: `waits-${this.#values}`,
      token,
      after_ms: this.#dice.chance(0.6) ? this.#dice.between(0, 1500) : null,
      late: this.#dice.pick(['fail', 'resume', 'resume']),
    };
    return { word: 'outside', wait };
  }

  /** Before we wait for it, soon after, late, or never; sometimes more than once. */
  #callBack(task_id: string, token: string): void {
    const dice = this.#dice;
    for (let times = dice.whole(0, 2); times > 0; times--) {
      const after = dice.chance(0.5) ? dice.between(0, 40) : dice.between(0, 2000);
      this.#nature.scheduler.after(after, () => this.#watch.callsBack(task_id, token));
    }
  }
}
