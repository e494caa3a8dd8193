import { randomUUID } from 'node:crypto';
import type { Broker, ConsumeOptions, Consumer, Delivery, Message, Topic } from '../broker.ts';

export type ConnectOptions = { readonly publish_timeout_ms?: number };

/** What the suites need of an implementation. */
export type BrokerHarness = {
  /** A connection of its own, as another process would have. */
  connect(options?: ConnectOptions): Promise<Broker>;
  /** A member in a process of its own, which acknowledges everything that comes or nothing. */
  farMember(options: FarOptions): Promise<FarMember>;
};

export type FarOptions = ConsumeOptions & { readonly acknowledges: boolean };

export type FarMember = {
  /** Values that came to it, as texts. */
  readonly received: readonly string[];
  /** Resolves when it holds of what was received. */
  until(holds: (received: readonly string[]) => boolean): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Stops it in its tracks, or lets it go on. */
  freeze(frozen: boolean): Promise<void>;
};

/** A broker that may be ended the hard way. */
export type CrashHarness = BrokerHarness & {
  /** So long it is away, where publishers wait for it. */
  readonly outage_ms: number;
  /** kill -9 of the broker. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Connections stay and nothing answers, until it goes on. */
  freeze(frozen: boolean): Promise<void>;
};

/** What differs between brokers that all keep the contract. */
export type BrokerTraits = {
  /** Messages of one key go to one member, and what is acknowledged out of order comes again. */
  readonly partitions: boolean;
  readonly tells_redelivery: boolean;
  /** The lag has what was handed out and not acknowledged. */
  readonly lag_counts_open: boolean;
  /** Several times as long as a member may be silent. */
  readonly silence_ms: number;
};

export function freshTopic(kind: Topic['kind'], groups: readonly string[] = []): Topic {
  return { name: `suite.${randomUUID()}`, kind, groups, partitions: 3 };
}

export function text(delivery: { readonly value: Uint8Array }): string {
  return new TextDecoder().decode(delivery.value);
}

export function numbered(count: number, key: (number: number) => string = () => 'k', from = 0): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    key: key(index + from),
    value: String(index + from),
  }));
}

/** Things that come one after the other, and the way to wait for some of them. */
export class Arrivals<Item> {
  readonly items: Item[] = [];
  readonly #waiting = new Set<() => void>();

  add(items: readonly Item[]): void {
    for (const item of items) this.items.push(item);
    for (const look of this.#waiting) look();
  }

  until(holds: (items: readonly Item[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds(this.items)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  count(most: number): Promise<void> {
    return this.until(({ length }) => length >= most);
  }
}

export type Taking = { readonly came: Arrivals<Delivery>; readonly consumer: Consumer };

/** A member that keeps what comes; `each` sees it first. */
export async function take(
  broker: Broker,
  options: Omit<ConsumeOptions, 'most_unacknowledged'> & { readonly most_unacknowledged?: number },
  each: (delivery: Delivery) => void = () => {},
): Promise<Taking> {
  const came = new Arrivals<Delivery>();
  const consumer = await broker.consume({ most_unacknowledged: 1000, ...options }, (deliveries) => {
    for (const delivery of deliveries) each(delivery);
    came.add(deliveries);
  });
  return { came, consumer };
}

export const acknowledge = (delivery: Delivery): void => delivery.ack();
