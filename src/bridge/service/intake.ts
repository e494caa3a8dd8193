import { correlationId } from '../../core/attempt-name.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { Recent } from '../../core/recent.ts';
import { STUB, withoutContent } from '../aside/place.ts';
import type { Consumer, Delivery, Message, News } from '../broker.ts';
import { type AgentTask, readAgentTask } from '../messages/agent-task.ts';
import { writeDeadLetter } from '../messages/dead-letter.ts';
import { readControl } from '../messages/news.ts';
import { identityOf, Job } from './job.ts';
import type { BridgeParts } from './parts.ts';
import type { Sender } from './sender.ts';
import { about } from './words.ts';

export type IntakeParts = BridgeParts & {
  readonly results: Sender;
  readonly deadLetters: Sender;
  /** Somebody has to make this call. */
  readonly begin: (job: Job) => void;
  /** Nobody can, and this is why. */
  readonly refuse: (job: Job, why: GleitzeitError) => void;
};

/** What ended here is remembered, so that a repeat is answered by the same and not by another call. */
const REMEMBERED = { most: 50_000, characters: 64 * 1024 * 1024 };
const REMEMBERED_CANCELS = { most: 50_000, characters: Number.POSITIVE_INFINITY };

/** Takes messages: each that can be read becomes one job, however often it comes. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #jobs = new Map<string, Job>();
  readonly #sizes = new Map<string, number>();
  readonly #ended = new Recent<Message>(REMEMBERED);
  readonly #cancelled = new Recent<true>(REMEMBERED_CANCELS);
  #bytes = 0;
  #paused = false;
  consumer: Pick<Consumer, 'pause' | 'resume'> | null = null;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  get size(): number {
    return this.#jobs.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  readonly take = (deliveries: readonly Delivery[]): void => {
    for (const delivery of deliveries) this.#takeOne(delivery);
    this.#pauseIfFull();
  };

  readonly hear = (news: readonly News[]): void => {
    for (const { value } of news) {
      try {
        const { reason, ...name } = readControl(value);
        this.#cancel(correlationId(name), reason);
      } catch (thrown) {
        this.#parts.logger.warn('a control message cannot be read', {
          error: GleitzeitError.from(thrown).message,
        });
      }
    }
  };

  /** It has ended, and this is what was told of it; null where nothing was. */
  end(job: Job, told: Message | null): void {
    if (told !== null) this.#ended.set(job.identity, told, told.value.length);
    this.forget(job);
  }

  forget({ identity }: Job): void {
    this.#jobs.delete(identity);
    this.#bytes -= this.#sizes.get(identity) ?? 0;
    this.#sizes.delete(identity);
    if (this.#paused && !this.#isFull) {
      this.#paused = false;
      this.consumer?.resume();
    }
  }

  /** Messages are counted by the consumer itself. */
  get #isFull(): boolean {
    return this.#bytes > this.#parts.options.most_bytes;
  }

  #pauseIfFull(): void {
    if (this.#paused || !this.#isFull) return;
    this.#paused = true;
    this.consumer?.pause();
  }

  #takeOne(delivery: Delivery): void {
    let task: AgentTask;
    const missing = withoutContent(delivery);
    try {
      task = missing === null ? readAgentTask(delivery.value) : readStub(delivery, missing);
    } catch (thrown) {
      void this.#refuse(delivery, thrown);
      return;
    }
    const known = this.#isKnown(task, delivery);
    this.#parts.observer.received(known ? 'repeated' : task.ours === null ? 'foreign' : 'own');
    if (known) return;
    const job = new Job(task, delivery);
    this.#jobs.set(job.identity, job);
    this.#sizes.set(job.identity, delivery.value.length);
    this.#bytes += delivery.value.length;
    if (missing === null) this.#parts.begin(job);
    else this.#parts.refuse(job, missing);
  }

  #isKnown(task: AgentTask, delivery: Delivery): boolean {
    const identity = identityOf(task);
    const running = this.#jobs.get(identity);
    if (running !== undefined) {
      running.join(delivery);
      return true;
    }
    if (task.ours !== null && this.#cancelled.get(identity)) {
      delivery.ack();
      this.#parts.observer.dropped('cancelled');
      return true;
    }
    const told = this.#ended.get(identity);
    if (told === undefined) return false;
    this.#parts.logger.debug(
      'a call that was made here is asked for again; its result is told again',
      about(task),
    );
    void this.#parts.results.send(told).then((durable) => durable && delivery.ack());
    return true;
  }

  /** Nothing can be done with it, and nobody behind it waits for that. */
  async #refuse(delivery: Delivery, thrown: unknown): Promise<void> {
    const { options, clock, logger, observer, deadLetters } = this.#parts;
    const { key, value, place } = delivery;
    const error = GleitzeitError.from(thrown);
    logger.warn('a message cannot be read and goes to the dead letters', {
      ...{ place, error_code: error.code, error: error.message },
    });
    observer.deadLetter(error.code);
    const { tasks: topic } = options.topics;
    const letter = writeDeadLetter({ topic, key, value, place, error, now_ms: clock.wall() });
    if (await deadLetters.send(letter)) delivery.ack();
  }

  #cancel(identity: string, reason: string | null): void {
    this.#cancelled.set(identity, true);
    this.#jobs.get(identity)?.cancel(reason);
  }
}

/** What is known of a task whose content cannot be fetched from here. */
function readStub({ headers }: Delivery, missing: GleitzeitError): AgentTask {
  const stub = headers[STUB];
  if (stub === undefined) throw missing;
  return readAgentTask(Buffer.from(stub));
}
