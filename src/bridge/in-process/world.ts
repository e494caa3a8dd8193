import type { BrokerState, Topic } from '../broker.ts';
import { unknownTopic } from '../errors.ts';
import { InProcessTopic } from './topic.ts';

/**
 * A broker inside the process, which forgets everything with it: for tests, and for looking at what a bridge does without
 * one. Everyone who connects to the same world shares its topics.
 */
export class InProcessWorld {
  readonly #topics = new Map<string, InProcessTopic>();
  readonly #listeners = new Set<() => void>();
  #state: BrokerState = 'up';

  get state(): BrokerState {
    return this.#state;
  }

  /** As if the broker's machine were cut off: nothing is delivered, what is published waits. */
  goAway(): void {
    this.#become('away');
  }

  comeBack(): void {
    this.#become('up');
    for (const topic of this.#topics.values()) for (const group of topic.groups.values()) group.wake();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  ensure(topic: Topic): void {
    const known = this.#topics.get(topic.name) ?? new InProcessTopic(topic);
    this.#topics.set(topic.name, known);
    for (const group of topic.groups ?? []) known.group(group);
  }

  has(name: string): boolean {
    return this.#topics.has(name);
  }

  topic(name: string): InProcessTopic {
    const topic = this.#topics.get(name);
    if (topic === undefined) throw unknownTopic(name);
    return topic;
  }

  #become(state: BrokerState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}
