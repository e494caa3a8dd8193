import type { Broker } from '../bridge/broker.ts';
import { type Config, openSecret } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { readTls } from './provider-tls.ts';

/** The broker that the configuration names. Its driver is loaded only here, and opening it does not wait for it. */
export async function openBroker(
  config: Config,
  logger: Logger,
  { patience_ms }: { readonly patience_ms?: number } = {},
): Promise<Broker> {
  const { type, brokers, url, mechanism, partitions } = config.dispatch;
  const login = loginOf(config);
  const patience = patience_ms === undefined ? {} : { publish_timeout_ms: patience_ms };
  const common = { logger, client_id: 'gleitzeit', ...patience, ...tlsOf(config) };
  if (type === 'kafka') {
    const { openKafka } = await import('../bridge/kafka/broker.ts');
    const { username, password } = login;
    const sasl = username === undefined ? {} : { sasl: { mechanism, username, password: password ?? '' } };
    return openKafka({ brokers, partitions, ...sasl, ...common });
  }
  if (type === 'redis' && url !== undefined)
    return (await import('../bridge/redis/broker.ts')).openRedis({ url, ...login, ...common });
  if (type === 'rabbitmq' && url !== undefined)
    return (await import('../bridge/rabbitmq/broker.ts')).openRabbit({ url, ...login, ...common });
  throw new GleitzeitError('GLZ1012', 'no broker is configured: engines make all calls themselves', {
    field: 'dispatch.type',
    reason: `dispatch.type is ${type}`,
    hint: 'set dispatch.type to kafka, redis or rabbitmq and say where it is, or set KAFKA_BROKERS',
  });
}

/** Where it is, for people: nothing that is secret. */
export function brokerPlace({ dispatch }: Config): string {
  const { type, brokers, url } = dispatch;
  return type === 'kafka' ? brokers.join(',') : (URL.parse(url ?? '')?.host ?? '');
}

function loginOf({ dispatch, secrets }: Config) {
  const filled = (text: string) =>
    text.replaceAll(/\$\{secrets\.([\w-]+)\}/g, (_, name: string) => openSecret(secrets, name));
  const { username, password } = dispatch;
  return {
    ...(username === undefined ? {} : { username: filled(username) }),
    ...(password === undefined ? {} : { password: filled(password) }),
  };
}

function tlsOf({ dispatch: { tls } }: Config) {
  if (tls === undefined) return {};
  const files = Object.fromEntries(Object.entries(tls).filter(([, file]) => file !== undefined));
  return { tls: readTls(files) };
}
