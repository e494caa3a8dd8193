import type { AttemptName } from '../../core/attempt-name.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Broker } from '../broker.ts';
import { type Update, writeUpdates } from '../messages/news.ts';

export type TidingsParts = {
  readonly bridge: string;
  readonly topic: string;
  readonly broker: Pick<Broker, 'publish' | 'state' | 'largest_message'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
};

export type Tiding = Pick<Update, 'kind' | 'progress' | 'ago_ms'>;

/** Tells engines how their calls are getting on: all of one tick together. What is lost is not told again. */
export class Tidings {
  readonly #parts: TidingsParts;
  #waiting = new Map<string, Update[]>();
  #scheduled = false;

  constructor(parts: TidingsParts) {
    this.#parts = parts;
  }

  tell(engine: string, { task_id, generation, attempt }: AttemptName, tiding: Tiding): void {
    // Nobody could hear it: it would only stand in the way of results when the broker is back.
    if (this.#parts.broker.state === 'away') return;
    const { bridge, clock } = this.#parts;
    const update = { task_id, generation, attempt, ...tiding, bridge, at_ms: clock.wall() };
    const updates = this.#waiting.get(engine);
    if (updates === undefined) this.#waiting.set(engine, [update]);
    else updates.push(update);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#parts.timers.soon(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const { broker, topic, logger } = this.#parts;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    const messages = [...waiting].flatMap(([engine, updates]) =>
      writeUpdates(engine, updates, broker.largest_message),
    );
    broker.publish(topic, messages).catch((thrown: unknown) => {
      logger.debug('news of calls were lost', { topic, error: String(thrown) });
    });
  }
}
