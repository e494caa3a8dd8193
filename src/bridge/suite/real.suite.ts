import type { Broker } from '../broker.ts';
import { openKafka } from '../kafka/broker.ts';
import { openRabbit } from '../rabbitmq/broker.ts';
import { openRedis } from '../redis/broker.ts';
import type { ConnectOptions } from './harness.suite.ts';

export type RealBroker = 'kafka' | 'redis' | 'rabbitmq';

/** A logger for whom nothing is worth telling. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Brokers that somebody else runs need not allow shorter ones. */
const given = process.env['GLEITZEIT_TEST_KAFKA_BROKERS'] ?? '';
const session_timeout_ms = given === '' ? 2000 : 6000;

/** A connection to a server that runs somewhere. Members that are silent are given up sooner than they would be in earnest. */
export function openReal(kind: RealBroker, address: string, options: ConnectOptions = {}): Promise<Broker> {
  const common = { ...options, logger: silent, session_timeout_ms };
  if (kind === 'kafka') return openKafka({ ...common, brokers: [address] });
  if (kind === 'redis') return openRedis({ ...common, url: address });
  return openRabbit({ ...common, url: address });
}
