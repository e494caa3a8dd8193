import { randomUUID } from 'node:crypto';
import type { RealBroker } from '../../src/bridge/suite/real.suite.ts';
import { defaultTopics, type Groups, type Topics } from '../../src/bridge/topics.ts';
import { sharedService } from '../services/shared.ts';

/** Topics and groups on a broker that nobody else uses. */
export type BrokerPlace = {
  readonly address: string;
  readonly topics: Topics;
  readonly groups: Groups;
  /** `dispatch` of a configuration. */
  readonly dispatch: object;
};

export async function ownPlace(kind: RealBroker): Promise<BrokerPlace> {
  const address = await sharedService(kind);
  const name = randomUUID().slice(0, 8);
  const topics = Object.fromEntries(
    Object.entries(defaultTopics).map(([key, topic]) => [key, `${topic}.${name}`]),
  ) as Topics;
  const groups = { engines: `engines-${name}`, bridges: `bridges-${name}` };
  const where = kind === 'kafka' ? { brokers: [address] } : { url: address };
  const { engines: engine_group, bridges: consumer_group } = groups;
  return {
    ...{ address, topics, groups },
    dispatch: { type: kind, ...where, topics, engine_group, consumer_group, partitions: 4 },
  };
}
