import type { Answer } from '../../../src/core/answer.ts';
import { type AttemptName, correlationId } from '../../../src/core/attempt-name.ts';
import type { Happening } from '../../../src/core/events.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { Message } from '../world/message.ts';
import type { Nature } from '../world/nature.ts';
import type { EngineProcess } from '../world/process.ts';
import { arriveBy, names, type Shadow, type TaskStep } from './step.ts';

const ends = ['completed', 'retrying', 'interrupted', 'input_required', 'notification_awaited'].map(
  (word) => `task:${word}`,
);

/** Calls that leave: what is down as away is at the broker, comes to its end once, by its own answer, and nobody is told to drop what is wanted. */
export class AwayCalls {
  readonly #nature: Nature;
  readonly #shadow: Shadow;
  readonly #published = new Map<string, Set<Message>>();
  readonly #over = new Set<Message>();
  readonly #results = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
  /** Calls of which nobody waits for an answer any more, though bridges may be at them. */
  readonly #useless = new Set<string>();
  readonly #abandoned = new Set<string>();

  constructor(nature: Nature, shadow: Shadow) {
    this.#nature = nature;
    this.#shadow = shadow;
  }

  published(message: Message): void {
    const known = this.#published.get(message.id);
    if (known === undefined) this.#published.set(message.id, new Set([message]));
    else known.add(message);
    this.#checkPlaces(message.engine, message.protocol);
  }

  over(message: Message): void {
    this.#over.add(message);
  }

  answers({ id }: Message, answer: Answer): void {
    if (answer.word !== 'done') return;
    const results = this.#results.get(id) ?? new Set();
    this.#results.set(id, results.add(answer.result));
  }

  /** The store is always ahead of whoever asks: nothing that may still be answered is given up. */
  abandoned(process: EngineProcess, name: AttemptName): void {
    const id = correlationId(name);
    this.#abandoned.add(id);
    const row = this.#shadow.tasks.get(name.task_id) ?? null;
    if (names(row, name)) this.#nature.fail('only what nobody wants is dropped', `${process.name}: ${id}`);
  }

  /** What is done with at the broker stands in the store. */
  acknowledged(process: EngineProcess, name: AttemptName): void {
    const row = this.#shadow.tasks.get(name.task_id) ?? null;
    if (names(row, name))
      this.#nature.fail(
        'an answer is recorded before it is done with',
        `${process.name}: ${correlationId(name)}`,
      );
  }

  check(step: TaskStep): void {
    const { before, after, commit } = step;
    for (const happening of step.events) this.#checkEvent(step, happening);
    if (before === null) return;
    const arrival = arriveBy(step);
    const result = commit.changes.results.find(({ task_id }) => task_id === after.task_id);
    if (arrival !== undefined && result !== undefined) this.#checkResult(arrival, result.result);
    const waited = isAway(before) ? idOf(before) : null;
    const dropped = after.status === 'cancelled' || commit.writes.some(({ kind }) => kind === 'wake_due');
    if (waited !== null && dropped && arrival === undefined && !names(after, nameOf(before)))
      this.#useless.add(waited);
  }

  /** Once all is over, in weather in which nobody could miss it. */
  checkRest(): void {
    if (!this.#nature.weather.fair) return;
    for (const id of this.#useless)
      if (!this.#abandoned.has(id)) this.#nature.fail('who works in vain is told', id);
  }

  #checkEvent({ before, after }: TaskStep, { event, data }: Happening): void {
    const { task_id } = after;
    if (event === 'task:routed' && data.via === 'bridge' && before !== null) {
      const id = correlationId(nameOf(before));
      if (!this.#published.has(id)) this.#nature.fail('what is down as away is at the broker', id);
    }
    if (!ends.includes(event) || !('attempt' in data)) return;
    const key = `${task_id} ${data.attempt}`;
    if (this.#ended.has(key)) this.#nature.fail('an attempt ends once', key);
    this.#ended.add(key);
  }

  #checkResult(name: AttemptName, result: string): void {
    const id = correlationId(name);
    if (!this.#results.get(id)?.has(result))
      this.#nature.fail('an answer belongs to its attempt', `${id}: ${result}`);
  }

  /** Places at a provider are taken for as long as its calls are away, as far as the store knows. */
  #checkPlaces(engine: EngineProcess, protocol: string): void {
    const { places } = this.#nature.weather;
    if (places === null) return;
    let away = 0;
    for (const row of this.#shadow.tasks.values()) {
      if (row.lane !== protocol || !isAway(row)) continue;
      const messages = [...(this.#published.get(idOf(row)) ?? [])];
      if (messages.every((message) => message.engine === engine && !this.#over.has(message))) away++;
    }
    // One more is on its way out.
    if (away >= places) this.#nature.fail('a call that is away takes a place', `${engine.name}: ${away}`);
  }
}

function isAway({ status, owner, attempts }: TaskRow): boolean {
  if (owner !== null) return false;
  return status === 'routed' || (status === 'executing' && attempts.at(-1)?.ended_at === null);
}

/** The attempt that is away, or would be next. */
function nameOf({ task_id, generation, attempt_count, status }: TaskRow): AttemptName {
  return { task_id, generation, attempt: attempt_count + (status === 'executing' ? 0 : 1) };
}

function idOf(row: TaskRow): string {
  return correlationId(nameOf(row));
}
