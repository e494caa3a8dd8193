import type { Topic } from './broker.ts';
import { unknownTopic, wrongKind } from './errors.ts';

/** The topics that were named to a broker, and what each is. */
export class Named {
  readonly #topics = new Map<string, Topic>();

  name(topics: readonly Topic[]): void {
    for (const topic of topics) this.#topics.set(topic.name, topic);
  }

  all(): Iterable<Topic> {
    return this.#topics.values();
  }

  /** Refuses one that was not named, or is read in another way. */
  check(name: string, verb?: 'consume' | 'subscribe'): Topic {
    const topic = this.#topics.get(name);
    if (topic === undefined) throw unknownTopic(name);
    if (verb !== undefined && (verb === 'consume') !== (topic.kind === 'work')) throw wrongKind(name, verb);
    return topic;
  }
}
