import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { Arrivals } from '../../src/bridge/suite/harness.suite.ts';
import type { JsonObject } from '../../src/core/json.ts';

/** Somebody at a Kafka who has nothing of ours but the names of topics. */
export type ForeignClient = {
  /** Whatever it is, in this order. */
  send(topic: string, values: readonly (Buffer | null)[]): Promise<void>;
  /** What stands on a topic, and what comes. */
  hear(topic: string): Promise<Arrivals<JsonObject>>;
  close(): Promise<void>;
};

export async function foreignClient(address: string, topics: readonly string[]): Promise<ForeignClient> {
  const common = { clientId: 'somebody', bootstrapBrokers: [address] };
  const admin = new Admin(common);
  await admin.createTopics({ topics: [...topics], partitions: 1, replicas: 1 });
  await admin.close();
  const producer = new Producer({ ...common, idempotent: true });
  const consumers: Consumer[] = [];
  return {
    send: async (topic, values) => {
      const messages = values.map((value) => ({ topic, key: Buffer.from('k'), ...(value && { value }) }));
      await producer.send({ messages });
    },
    hear: async (topic) => {
      const consumer = new Consumer({ ...common, groupId: `somebody-of-${topic}`, maxWaitTime: 200 });
      consumers.push(consumer);
      const heard = new Arrivals<JsonObject>();
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
      stream.on('data', ({ value }) => heard.add([JSON.parse(value.toString()) as JsonObject]));
      return heard;
    },
    close: async () => {
      await Promise.all([producer.close(), ...consumers.map((consumer) => consumer.close(true))]);
    },
  };
}
