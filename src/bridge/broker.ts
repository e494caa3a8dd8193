/**
 * What carries messages between engines and bridges. One contract, with an implementation in each folder beside this
 * file; `broker.suite.ts` is what each of them must do.
 */
export interface Broker {
  /** The largest message it takes: bytes of key, value and headers together. */
  readonly largest_message: number;
  /** The largest that it takes from those who share a store with whoever reads it; the same, where this is not said. */
  readonly largest_aside?: number;
  readonly state: BrokerState;
  /**
   * Creates what is missing, and resolves when it can be written and read. Topics are named here before anything else
   * is done with them, by everyone who uses them; naming one again changes nothing.
   */
  ensure(topics: readonly Topic[]): Promise<void>;
  /**
   * Resolves when all of them are durable at the broker, in order per key. What is published in one tick travels
   * together. Waits while the broker is away, up to `publish_timeout_ms`; then it rejects (GLZ3201), and the messages
   * may have been written all the same: whoever consumes recognises repeats. GLZ1007: one is too large, none was sent.
   */
  publish(topic: string, messages: readonly Message[]): Promise<void>;
  /**
   * One member of a group gets each message; a group that is new begins with the oldest one that is kept. Resolves when
   * the member has joined.
   */
  consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer>;
  /** Everyone who listens gets each piece of news that comes from now on; as well as can be done, without acknowledgement. */
  subscribe(topic: string, handler: NewsHandler): Promise<Consumer>;
  /** Hears of changes, until the returned function is called. */
  onState(listener: (state: BrokerState) => void): () => void;
  /**
   * Messages of a topic that the group has not acknowledged yet (RabbitMQ: that wait for it); all that are kept, where the
   * group was never there. The topic need not have been named; where the broker has none of that name, GLZ1010.
   */
  lag(group: string, topic: string): Promise<number>;
  /** The same by the number of the partition; none where the broker has no partitions. */
  partitionLags(group: string, topic: string): Promise<readonly number[]>;
  /** Ends its consumers, waits for what is being published until the deadline, and lets go of the broker. */
  close(deadline_ms: number): Promise<void>;
}

/** `away`: it cannot be reached now. What is published waits, and members go on when it is back. */
export type BrokerState = 'up' | 'away';

export type Topic = {
  readonly name: string;
  /**
   * `work` is kept until every group has acknowledged it, and read by `consume`. `news` is for those who listen at the
   * moment, and read by `subscribe`.
   */
  readonly kind: 'work' | 'news';
  /**
   * Who takes this work: from now on it is kept for each of these groups, whether a member is there or not. Work without
   * a group is kept for people to look at, as long as the broker keeps things.
   */
  readonly groups?: readonly string[];
  /** How many a topic that is missing gets, where the broker has partitions. */
  readonly partitions?: number;
};

export type Message = {
  readonly key: string;
  readonly value: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Travels along where the value lies aside: enough to answer it, for those who cannot fetch it. */
  readonly stub?: string;
};

export type ConsumeOptions = {
  readonly topic: string;
  readonly group: string;
  /** So many are handed out at most and not acknowledged; then no more come until some are. */
  readonly most_unacknowledged: number;
};

/** What came: as it was published by whomever, and so not checked in any way. */
export type News = {
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
};

/** One message of work. Each comes at least once; it may come again, here or to another member. */
export type Delivery = News & {
  /** Where it stands, for people: "topic/partition/offset". */
  readonly place: string;
  /** Known to have been handed out before. Kafka never tells. */
  readonly redelivered: boolean;
  /**
   * It is done with, and need not come again once everything before it in its partition is acknowledged too. Durable
   * soon, at the latest when its consumer has stopped. The second time, and after `lost`, it means nothing.
   */
  ack(): void;
  /** Aborted when the message was taken from this member: somebody else gets it. The same object for many deliveries. */
  readonly lost: AbortSignal;
};

/**
 * Called with what came, in order per partition, where the broker has partitions, else in the order of publication.
 * Must be quick and must not throw; the work itself goes on after it has returned, as much of it at once as wanted.
 */
export type DeliveryHandler = (deliveries: readonly Delivery[]) => void;
export type NewsHandler = (news: readonly News[]) => void;

export interface Consumer {
  /** Nothing is handed out until `resume`; what was handed out stays with this member. */
  pause(): void;
  resume(): void;
  /** Nothing is handed out any more; acknowledgements still count. */
  quiet(): Promise<void>;
  /**
   * Quiet; then acknowledgements given so far are made durable and the member leaves its group: what it has not
   * acknowledged goes to others at once.
   */
  stop(deadline_ms: number): Promise<void>;
}
