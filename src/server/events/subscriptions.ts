import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Random } from '../../core/ports/random.ts';
import type { ServerSocket } from '../../rpc/websocket/server-socket.ts';
import type { EventFilter } from './filter.ts';
import type { Sink } from './follower.ts';
import type { EventHub, Followed } from './hub.ts';

export type SubscriptionsParts = {
  readonly hub: EventHub;
  readonly random: Random;
  readonly timers: Timers;
  readonly most_per_connection: number;
};

export const DEFAULT_SUBSCRIPTIONS = 64;

/** A connection's subscriptions; places are taken before they are known. */
type Held = { readonly open: Map<string, Followed>; arriving: number };

/** What WebSockets have subscribed to. A connection that ends takes its subscriptions with it. */
export class Subscriptions {
  readonly #parts: SubscriptionsParts;
  readonly #held = new WeakMap<ServerSocket, Held>();

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#parts.hub.size;
  }

  async subscribe(
    socket: ServerSocket,
    { cursor, ...filter }: EventFilter & { readonly cursor?: number | undefined },
    afterAnswer: (then: () => void) => void = (then) => this.#parts.timers.soon(then),
  ): Promise<{ subscription_id: string; cursor: number }> {
    const held = this.#of(socket);
    requireRoom(held, this.#parts.most_per_connection);
    held.arriving++;
    const subscription_id = this.#newId();
    try {
      const followed = await this.#parts.hub.follow({
        filter,
        cursor,
        sink: socketSink(socket, subscription_id),
      });
      if (socket.closed) followed.end();
      else held.open.set(subscription_id, followed);
      // The answer goes out before the first event: it tells what the events belong to.
      afterAnswer(() => followed.start());
      return { subscription_id, cursor: followed.cursor };
    } finally {
      held.arriving--;
    }
  }

  unsubscribe(socket: ServerSocket, subscription_id: string): boolean {
    const { open } = this.#of(socket);
    const followed = open.get(subscription_id);
    followed?.end();
    return open.delete(subscription_id);
  }

  #of(socket: ServerSocket): Held {
    const known = this.#held.get(socket);
    if (known !== undefined) return known;
    const held: Held = { open: new Map(), arriving: 0 };
    this.#held.set(socket, held);
    socket.onClose(() => {
      for (const followed of held.open.values()) followed.end();
      held.open.clear();
    });
    return held;
  }

  #newId(): string {
    return Buffer.from(this.#parts.random.bytes(8)).toString('hex');
  }
}

function requireRoom({ open, arriving }: Held, most: number): void {
  if (open.size + arriving < most) return;
  const reason = `this connection has ${most} subscriptions, and no more are given to one`;
  throw new GleitzeitError('GLZ4003', reason, { reason, hint: 'end one with event.unsubscribe' });
}

/** Events as notifications. The text of an event is shared by all who hear of it, only the beginning is one's own. */
function socketSink(socket: ServerSocket, subscription_id: string): Sink {
  const head = `{"jsonrpc":"2.0","method":"event","params":{"subscription_id":${JSON.stringify(subscription_id)},`;
  return {
    take: ({ text }) => (socket.send(`${head}${text.slice(1)}}`) === 'sent' ? 'more' : 'full'),
    drained: () => socket.drained(),
    get closed() {
      return socket.closed;
    },
  };
}
