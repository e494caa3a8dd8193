/** What came to an engine over the broker. */
export type Arrival = 'result' | 'kept' | 'news' | 'execution_request' | 'cancellation_request';

/** Hears what engines do with brokers, for metrics. Must be quick and must not throw. */
export interface ExecutorObserver {
  /** A call is durable at the broker. */
  published(provider: string): void;
  /** A call could not leave, and its task waits for the broker. */
  waited(): void;
  arrived(kind: Arrival): void;
  /** What became of a result: it is known already or comes too late (`refused`), or answers nothing of ours (`foreign`). */
  settled(outcome: 'recorded' | 'refused' | 'foreign'): void;
  deadLetter(topic: string, error_code: string): void;
  /** An update for those who look on is durable. */
  monitored(count: number): void;
}

/** Where nobody looks. */
export const noExecutorObserver: ExecutorObserver = {
  published() {},
  waited() {},
  arrived() {},
  settled() {},
  deadLetter() {},
  monitored() {},
};
