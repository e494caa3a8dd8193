import type { Answer } from '../../../src/core/answer.ts';
import { errorRecord } from '../../../src/core/errors.ts';
import type { Progress, Provider, ProviderCall } from '../../../src/core/ports/provider.ts';
import { Asking, type AskingWatch } from './asking.ts';
import type { Behaviour, CallRecord, Reporting } from './call-record.ts';
import type { Dice } from './dice.ts';
import type { Message } from './message.ts';
import { type Nature, never } from './nature.ts';
import type { Kind, Params } from './planned.ts';
import type { EngineProcess } from './process.ts';

export type ServiceWatch = {
  mayCrash(process: EngineProcess, point: string): boolean;
  crash(process: EngineProcess, why: string): void;
  called(record: CallRecord): void;
  /** Told before the answer goes out. */
  answers(record: CallRecord, answer: Answer): void;
  /** Gives the text that a call reports. */
  reports(record: Reporting): string;
  /** The same as `answers`, of a call that a bridge made. */
  answersBridge(message: Message, answer: Answer): void;
} & AskingWatch;

/** What a bridge hears of a call that it makes. */
export type BridgeHearing = {
  answered(answer: Answer): void;
  report(progress: Progress): void;
  keep(value: string): void;
  dies(): void;
};

export type BridgedCall = { end(): void };

/** Whoever makes a call, as long as it is alive. */
type Caller = { deliver(ms: number, call: () => void): void };

/** What all providers lead to. It outlives every engine. */
export class Service {
  readonly #nature: Nature;
  readonly #watch: ServiceWatch;
  readonly #dice: Dice;
  /** Draws of its own: worlds in which nobody reports are what they would be without. */
  readonly #talk: Dice;
  readonly #talkative: boolean;
  readonly #callsByTag = new Map<string, number>();
  readonly #asking: Asking;
  #answers = 0;

  constructor(nature: Nature, watch: ServiceWatch) {
    this.#nature = nature;
    this.#watch = watch;
    this.#dice = nature.dice.fork('service');
    this.#talk = nature.dice.fork('reports');
    this.#talkative = this.#talk.chance(0.2);
    this.#asking = new Asking(nature, watch);
  }

  call(process: EngineProcess, provider: Provider, call: ProviderCall): Promise<Answer> {
    if (!process.alive || this.#watch.mayCrash(process, 'call:before')) return never();
    const params = call.params as Params;
    const { task_id, call_id, attempt, kept, response } = call;
    const record: CallRecord = {
      process,
      task_id,
      call_id,
      attempt,
      params,
      provider: provider.id,
      at: this.#nature.now,
      stored_at: process.storeNow(),
      kept,
      response,
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
    if (this.#talkative && this.#talk.chance(0.5)) this.#reportNowAndThen(record, call);
    const behaviour = behave(this.#dice, params, times);
    return this.#answerLater(record, call, this.#asking.instead(record, call, behaviour));
  }

  /** For a bridge, which waits for no longer than the call may take. */
  callBy(bridge: Caller, message: Message, hearing: BridgeHearing): BridgedCall {
    const { params, task_id, attempt, call_id, token } = message;
    const times = (this.#callsByTag.get(params.tag) ?? 0) + 1;
    this.#callsByTag.set(params.tag, times);
    const record: Reporting & { readonly call_id: string } = { task_id, attempt, call_id, ended: false };
    const end = () => {
      record.ended = true;
    };
    if (params.kind === 'poison') {
      hearing.dies();
      return { end };
    }
    const answered = (words: Answer | Error) => {
      if (record.ended) return;
      record.ended = true;
      const failed = (thrown: Error): Answer => ({
        word: 'failed',
        error: errorRecord('GLZ2001', thrown.message),
      });
      const answer = words instanceof Error ? failed(words) : this.#signed(params, words);
      this.#watch.answersBridge(message, answer);
      hearing.answered(answer);
    };
    const keep = async (value: unknown) => {
      if (!record.ended) hearing.keep(String(value));
      return false;
    };
    const callback = token === null ? undefined : { url: '', token };
    const would = behave(this.#dice, params, times);
    const does = this.#asking.instead({ ...record, process: bridge }, { task_id, keep, callback }, would);
    if (this.#talkative && this.#talk.chance(0.5))
      bridge.deliver(this.#talk.between(0, 60), () => {
        if (!record.ended) hearing.report({ progress: times, text: this.#watch.reports(record) });
      });
    if (does.after !== null) bridge.deliver(does.after, () => answered(does.words));
    const late = errorRecord('GLZ2003', 'no answer in time', { field: 'timeout' });
    bridge.deliver(message.timeout_ms, () => answered({ word: 'failed', error: late }));
    return { end };
  }

  /** Also after its end: a service may not know that nobody listens any more. */
  #reportNowAndThen(record: CallRecord, call: ProviderCall): void {
    const { report } = call;
    for (let times = this.#talk.whole(1, 6); times > 0; times--) {
      const after = this.#talk.chance(0.6) ? this.#talk.between(0, 40) : this.#talk.between(0, 1500);
      record.process.deliver(after, () => report?.({ progress: times, text: this.#watch.reports(record) }));
    }
  }

  #answerLater(record: CallRecord, call: ProviderCall, behaviour: Behaviour): Promise<Answer> {
    const { process } = record;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const give = (words: Answer | Error) => {
      const answer = words instanceof Error ? words : this.#signed(record.params, words);
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
  #signed({ tag, kind }: Params, answer: Answer): Answer {
    if (answer.word !== 'done') return answer;
    const value = `${tag}/${++this.#answers}`;
    if (kind === 'bad_json') return { word: 'done', result: `{"value": "${value}"` };
    const result = { tag, value, ...(kind === 'bad_result' ? { bad: true } : {}) };
    const text = kind === 'unholdable' ? { ...result, unholdable: true } : result;
    return { word: 'done', result: JSON.stringify(text) };
  }
}

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
