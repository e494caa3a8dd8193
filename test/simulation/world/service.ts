import type { Answer } from '../../../src/core/answer.ts';
import { errorRecord } from '../../../src/core/errors.ts';
import type { Provider, ProviderCall } from '../../../src/core/ports/provider.ts';
import type { Dice } from './dice.ts';
import { type Nature, never } from './nature.ts';
import type { Kind, Params } from './planned.ts';
import type { EngineProcess } from './process.ts';

/** A call as the service wrote it down, outside of any engine. */
export type CallRecord = {
  readonly process: EngineProcess;
  readonly task_id: string;
  readonly call_id: string;
  readonly attempt: number;
  readonly params: Params;
  readonly provider: string;
  readonly at: number;
  /** The same by the store's clock. */
  readonly stored_at: number;
  /** It never looks whether the engine has given up waiting. */
  blind: boolean;
  /** The engine does not wait for it any more, or the service has answered. */
  ended: boolean;
};

export type ServiceWatch = {
  mayCrash(process: EngineProcess, point: string): boolean;
  crash(process: EngineProcess, why: string): void;
  called(record: CallRecord): void;
  /** Told before the answer goes out. */
  answers(record: CallRecord, answer: Answer): void;
};

/** What all providers lead to. It outlives every engine. */
export class Service {
  readonly #nature: Nature;
  readonly #watch: ServiceWatch;
  readonly #dice: Dice;
  readonly #callsByTag = new Map<string, number>();
  #answers = 0;

  constructor(nature: Nature, watch: ServiceWatch) {
    this.#nature = nature;
    this.#watch = watch;
    this.#dice = nature.dice.fork('service');
  }

  call(process: EngineProcess, provider: Provider, call: ProviderCall): Promise<Answer> {
    if (!process.alive || this.#watch.mayCrash(process, 'call:before')) return never();
    const params = call.params as Params;
    const { task_id, call_id, attempt } = call;
    const record: CallRecord = {
      process,
      task_id,
      call_id,
      attempt,
      params,
      provider: provider.id,
      at: this.#nature.now,
      stored_at: process.storeNow(),
      blind: false,
      ended: false,
    };
    this.#nature.trace(process.name, 'call', { task_id, call_id, attempt, kind: params.kind });
    this.#watch.called(record);
    const times = (this.#callsByTag.get(params.tag) ?? 0) + 1;
    this.#callsByTag.set(params.tag, times);
    if (params.kind === 'poison') {
      this.#watch.crash(process, 'poison');
      return never();
    }
    if (params.kind === 'throws' && this.#dice.chance(0.3)) {
      record.ended = true;
      throw new Error('the provider broke');
    }
    return this.#answerLater(record, call, behave(this.#dice, params, times));
  }

  #answerLater(record: CallRecord, call: ProviderCall, behaviour: Behaviour): Promise<Answer> {
    const { process } = record;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const give = (words: Answer | Error) => {
      const answer = words instanceof Error ? words : this.#signed(record, words);
      if (!(answer instanceof Error)) this.#watch.answers(record, answer);
      if (this.#watch.mayCrash(process, 'call:after')) return;
      process.deliver(this.#dice.between(0, 2), () => {
        record.ended = true;
        this.#nature.trace(process.name, 'answer', { task_id: record.task_id, answer });
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    };
    const cancel =
      behaviour.after === null
        ? () => {}
        : this.#nature.scheduler.after(behaviour.after, () => give(behaviour.words));
    record.blind = behaviour.heeds === 'not at all';
    if (!record.blind) {
      record.ended = call.signal.aborted;
      call.signal.addEventListener('abort', () => {
        record.ended = true;
        if (behaviour.heeds === 'late') return;
        cancel();
        give(new Error('aborted'));
      });
    }
    return promise;
  }

  /** Every answer differs from all others, so that it can be told where a stored result came from. */
  #signed(record: CallRecord, answer: Answer): Answer {
    if (answer.word !== 'done') return answer;
    const value = `${record.params.tag}/${++this.#answers}`;
    if (record.params.kind === 'bad_json') return { word: 'done', result: `{"value": "${value}"` };
    const result = {
      tag: record.params.tag,
      value,
      ...(record.params.kind === 'bad_result' ? { bad: true } : {}),
    };
    const text = record.params.kind === 'unholdable' ? { ...result, unholdable: true } : result;
    return { word: 'done', result: JSON.stringify(text) };
  }
}

type Behaviour = {
  /** Milliseconds, or null for never. */
  readonly after: number | null;
  readonly words: Answer | Error;
  readonly heeds: 'at once' | 'late' | 'not at all';
};

const done: Answer = { word: 'done', result: '' };

function behave(dice: Dice, params: Params, times: number): Behaviour {
  const heeds = dice.pick(['at once', 'at once', 'late', 'not at all'] as const);
  const quick = dice.chance(0.9) ? dice.between(0, 40) : dice.between(0, 1800);
  return { after: delayOf(dice, params.kind, quick), words: wordsOf(dice, params.kind, times), heeds };
}

function delayOf(dice: Dice, kind: Kind, quick: number): number | null {
  if (kind === 'never') return dice.chance(0.3) ? dice.between(1500, 4000) : null;
  return kind === 'slow' ? dice.between(200, 2500) : quick;
}

function wordsOf(dice: Dice, kind: Kind, times: number): Answer | Error {
  if (kind === 'flaky' && dice.chance(0.6)) return passingFailure(dice);
  if (kind === 'fail') return passingFailure(dice);
  if (kind === 'reject') return { word: 'failed', error: errorRecord('GLZ2010', 'no') };
  if (kind === 'throws') return new Error('the provider broke on the way');
  if (kind === 'again' && times <= 3)
    return { word: 'again', after_ms: dice.between(0, 400), reason: 'busy' };
  return done;
}

function passingFailure(dice: Dice): Answer {
  const code = dice.pick(['GLZ2001', 'GLZ2002', 'GLZ2003', 'GLZ2004'] as const);
  const asked = dice.chance(0.25) ? { retry_after_ms: dice.between(0, 700) } : {};
  return { word: 'failed', error: errorRecord(code, 'trouble that may pass', asked) };
}
