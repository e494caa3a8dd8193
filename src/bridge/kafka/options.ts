import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { BaseOptions } from '@platformatic/kafka';
import type { Logger } from '../../core/ports/logger.ts';

export type KafkaOptions = {
  /** `host:port` of some of them; the others are found. */
  readonly brokers: readonly string[];
  readonly client_id?: string;
  readonly tls?: ConnectionOptions;
  readonly sasl?: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly username: string;
    readonly password: string;
  };
  readonly logger: Logger;
  /** Partitions of topics that are created here. */
  readonly partitions?: number;
  readonly largest_message?: number;
  readonly publish_timeout_ms?: number;
  /** After so long a silence a member is taken for dead. Brokers have a least value, by default 6 s. */
  readonly session_timeout_ms?: number;
  /** How often acknowledgements are made durable. */
  readonly commit_interval_ms?: number;
};

export type Settings = Required<
  Pick<KafkaOptions, 'logger' | 'partitions' | 'largest_message' | 'publish_timeout_ms'>
> & {
  readonly session_timeout_ms: number;
  readonly commit_interval_ms: number;
  /** For people: which broker. */
  readonly where: string;
  /** What every client of the package is made with: it tries once, and whoever uses it decides what then. */
  readonly base: BaseOptions;
};

const REQUEST_TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5000;

export function settingsOf(options: KafkaOptions): Settings {
  const { brokers, tls, sasl, logger } = options;
  return {
    logger,
    where: brokers.join(','),
    partitions: options.partitions ?? 12,
    // With its frame it stays below the million bytes and a bit that brokers take by default.
    largest_message: options.largest_message ?? 1_000_000,
    publish_timeout_ms: options.publish_timeout_ms ?? 30_000,
    session_timeout_ms: options.session_timeout_ms ?? 6000,
    commit_interval_ms: options.commit_interval_ms ?? 200,
    base: {
      clientId: options.client_id ?? 'gleitzeit',
      bootstrapBrokers: [...brokers],
      retries: 0,
      connectTimeout: CONNECT_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      ...(tls === undefined ? {} : { tls, tlsServerName: !brokers.some(isAddress) }),
      ...(sasl === undefined ? {} : { sasl }),
    },
  };
}

/** Servers are told the name they are called by. An address is no name, and where it is given as one nothing connects. */
function isAddress(broker: string): boolean {
  return isIP(broker.slice(0, broker.lastIndexOf(':')).replaceAll(/[[\]]/g, '')) !== 0;
}
