import type { Answer } from '../../../src/core/answer.ts';
import { errorRecord } from '../../../src/core/errors.ts';
import type { ArrivedNews } from '../../../src/core/ports/dispatch.ts';
import type { Message } from './message.ts';
import type { Nature } from './nature.ts';
import type { BridgedCall, Service } from './service.ts';

export type BridgeParts = {
  readonly nature: Nature;
  readonly service: Service;
  /** Puts an answer on the topic of results; told once it is there. */
  publish(message: Message, answer: Answer, took_ms: number, then: () => void): void;
  keep(message: Message, value: string): void;
  news(message: Message, news: News): void;
  /** The message is done with, and will not come again. */
  acknowledged(message: Message): void;
  dies(bridge: Bridge): void;
};

type News = ArrivedNews extends infer One
  ? One extends { kind: string }
    ? Omit<One, NameOfAttempt>
    : never
  : never;
type NameOfAttempt = 'task_id' | 'generation' | 'attempt';

type Job = { readonly message: Message; call: BridgedCall | null };

/** One life of a bridge: takes messages, makes their calls, publishes what comes of them. */
export class Bridge {
  readonly name: string;
  readonly #parts: BridgeParts;
  readonly #jobs = new Set<Job>();
  readonly #cancelled = new Set<string>();
  alive = true;

  constructor(name: string, parts: BridgeParts) {
    this.name = name;
    this.#parts = parts;
  }

  deliver(ms: number, call: () => void): void {
    this.#parts.nature.scheduler.after(ms, () => {
      if (this.alive) call();
    });
  }

  take(message: Message): void {
    const { nature } = this.#parts;
    const begun = nature.now;
    message.deliveries++;
    nature.trace(this.name, 'takes', { id: message.id, times: message.deliveries });
    const job: Job = { message, call: null };
    this.#jobs.add(job);
    const expired = nature.now > message.expires;
    if (expired || this.#cancelled.has(message.id)) this.#drop(job);
    else this.#call(job, begun);
  }

  #call(job: Job, begun: number): void {
    const { nature, service, news } = this.#parts;
    const { message } = job;
    news(message, { kind: 'started', ago_ms: 0 });
    job.call = service.callBy(this, message, {
      answered: (answer) => this.#answered(job, answer, nature.now - begun),
      report: (progress) => news(message, { kind: 'progress', progress }),
      keep: (value) => this.#parts.keep(message, value),
      dies: () => this.#parts.dies(this),
    });
  }

  /** Whoever waits for it does so no longer. */
  cancel(id: string): void {
    this.#cancelled.add(id);
    for (const job of this.#jobs) {
      if (job.message.id !== id) continue;
      job.call?.end();
      if (this.#parts.nature.dice.chance(0.5)) this.#drop(job);
      else this.#answered(job, { word: 'failed', error: errorRecord('GLZ2009', 'cancelled') }, 0);
    }
  }

  /** What it has not said to be done comes again, to whoever is left. Answers the messages. */
  die(): readonly Message[] {
    this.alive = false;
    const left = [...this.#jobs].map(({ message }) => message);
    for (const { call } of this.#jobs) call?.end();
    this.#jobs.clear();
    return left;
  }

  get messages(): readonly Message[] {
    return [...this.#jobs].map(({ message }) => message);
  }

  #answered(job: Job, answer: Answer, took_ms: number): void {
    if (!this.alive || !this.#jobs.has(job)) return;
    this.#parts.publish(job.message, answer, took_ms, () => {
      if (this.alive) this.#drop(job);
    });
  }

  #drop(job: Job): void {
    this.#jobs.delete(job);
    this.#parts.news(job.message, { kind: 'ended' });
    this.#parts.acknowledged(job.message);
  }
}
