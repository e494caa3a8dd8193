import { afterEach } from 'vitest';
import type { Broker, Topic } from '../broker.ts';
import { type BrokerHarness, type ConnectOptions, freshTopic } from './harness.suite.ts';

/** Connections that a test opens and that are closed after it. */
export function connections(harness: () => BrokerHarness) {
  const open: Broker[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((broker) => broker.close(2000)));
  });
  const connect = async (options: ConnectOptions = {}) => {
    const broker = await harness().connect(options);
    open.push(broker);
    return broker;
  };
  return {
    connect,
    /** A connection, and the name of a topic of its own. */
    async prepared(kind: Topic['kind'], ...groups: string[]) {
      const broker = await connect();
      const topic = freshTopic(kind, groups);
      await broker.ensure([topic]);
      /** One more connection that knows the topic. */
      const another = async () => {
        const other = await connect();
        await other.ensure([topic]);
        return other;
      };
      return { broker, topic: topic.name, another };
    },
  };
}
