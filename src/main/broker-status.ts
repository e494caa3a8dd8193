import type { Broker } from '../bridge/broker.ts';
import { readLag } from '../bridge/lag.ts';
import { engineGroup } from '../bridge/topics.ts';
import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { brokerPlace, openBroker } from './broker.ts';

/** The broker as `gleitzeit broker status` tells of it. */
export type BrokerOverview = {
  readonly type: Config['dispatch']['type'];
  readonly place: string;
  readonly topics: readonly TopicOverview[];
  /** Messages that nobody could read and that are kept; null where the broker does not tell. */
  readonly dead_letters: number | null;
};

export type TopicOverview = {
  readonly topic: string;
  readonly group: string;
  /** What the group has not acknowledged yet; null where there is no such topic yet. */
  readonly lag: number | null;
  /** The same by the number of the partition; none where the broker has no partitions. */
  readonly partitions: readonly number[];
};

const PATIENCE_MS = 5000;
/** Nobody takes dead letters: for a group that never was all of them are still to come. */
const NOBODY = 'gleitzeit-nobody';

/** Asks the broker how far everybody has come. Nothing is changed or created there. */
export async function brokerOverview(config: Config, logger: Logger): Promise<BrokerOverview> {
  const { type, topics, consumer_group: bridges, engine_group: engines } = config.dispatch;
  const broker = await openBroker(config, logger, { patience_ms: PATIENCE_MS });
  try {
    const [letters, ...others] = await Promise.all([
      overview(broker, topics.dead_letters, NOBODY),
      overview(broker, topics.tasks, bridges),
      overview(broker, topics.results, engines),
      overview(broker, topics.kept, engineGroup(topics, { engines, bridges }, topics.kept)),
    ]);
    return { type, place: brokerPlace(config), topics: others, dead_letters: letters.lag };
  } finally {
    await broker.close(PATIENCE_MS);
  }
}

async function overview(broker: Broker, topic: string, group: string): Promise<TopicOverview> {
  try {
    const { messages, partitions } = await readLag(broker, { group, topic });
    return { topic, group, lag: messages, partitions };
  } catch (thrown) {
    // One that answers that it does not know the topic is not away, however its driver puts it.
    const { code, details } = GleitzeitError.from(thrown);
    if (code === 'GLZ3201' && !isUnknown(details.reason)) throw thrown;
    return { topic, group, lag: null, partitions: [] };
  }
}

function isUnknown(reason = ''): boolean {
  return /not[-_ ]found|no such key|unknown[-_ ]topic/i.test(reason);
}
