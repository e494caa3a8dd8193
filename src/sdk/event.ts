import type { ParamsOf } from '../api/methods.ts';
import type { EventMap, EventName } from '../core/events.ts';

/** Which events, and from where on: `cursor` 0 is from the beginning, without one it is from now on. */
export type EventFilter = ParamsOf<'event.subscribe'>;

/** One recorded change as it comes over the wire. `event` tells what `data` holds. */
export type GleitzeitEvent = {
  [Name in EventName]: {
    /** Its number among all events: what was seen up to. */
    readonly cursor: number;
    readonly event: Name;
    readonly at: string;
    readonly task_id?: string;
    readonly workflow_id?: string;
    /** Counts the events of one run, without gaps. */
    readonly seq?: number;
    readonly data: { readonly [Key in keyof EventMap[Name]]: OnTheWire<Key, EventMap[Name][Key]> };
  };
}[EventName];

/** Times are text there. */
type OnTheWire<Key, Value> = Key extends 'started_at' | 'due_at' ? string : Value;

/**
 * Events in their order, nothing missed and nothing twice, however often the connection is lost. Ends by `return` (a
 * `break` does it), with its signal, or when the client is closed.
 */
export interface EventStream extends AsyncIterableIterator<GleitzeitEvent, undefined, undefined> {
  /**
   * Subscribes now, not with the first `next`. Resolves once everything after the cursor it gives is going to come:
   * what is submitted from then on is not missed.
   */
  subscribed(): Promise<number>;
  next(): Promise<IteratorResult<GleitzeitEvent, undefined>>;
  return(): Promise<IteratorResult<GleitzeitEvent, undefined>>;
  [Symbol.asyncIterator](): EventStream;
}
