import { GleitzeitError } from '../../core/errors.ts';
import { brokerAway, brokerRefused, certificateHint } from '../errors.ts';

/** What the package says of an error, wherever in it that stands: it wraps errors in lists of errors. */
type Known = { readonly code?: unknown; readonly apiId?: unknown; readonly canRetry?: unknown };

/** Every error in an error. */
function* within(error: unknown, depth = 0): Generator<Error & Known> {
  if (!(error instanceof Error) || depth > DEEPEST) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* within(inner, depth + 1);
  yield* within(error.cause, depth + 1);
}

const DEEPEST = 8;

/** Whether Kafka answered with this error, for example UNKNOWN_TOPIC_OR_PARTITION. */
export function answered(error: unknown, ...names: readonly string[]): boolean {
  for (const { apiId } of within(error)) if (typeof apiId === 'string' && names.includes(apiId)) return true;
  return false;
}

const refusals: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: 'grant this user the right to the topic at the broker',
  GROUP_AUTHORIZATION_FAILED: 'grant this user the right to the consumer group at the broker',
  CLUSTER_AUTHORIZATION_FAILED: 'grant this user the right to create topics, or create them beforehand',
  SASL_AUTHENTICATION_FAILED: 'correct the user name and the password',
  UNSUPPORTED_SASL_MECHANISM: 'use a mechanism that the broker knows',
  MESSAGE_TOO_LARGE: 'raise max.message.bytes of the topic, or send less with one call',
  RECORD_LIST_TOO_LARGE: 'raise max.message.bytes of the topic, or send less with one call',
  INVALID_TOPIC_EXCEPTION: 'use letters, digits, dots, hyphens and underscores, 249 at most',
  INVALID_PARTITIONS: 'use another number of partitions',
  INVALID_REPLICATION_FACTOR: 'the broker has fewer nodes than its default.replication.factor wants',
  INVALID_SESSION_TIMEOUT:
    'use a session time that group.min.session.timeout.ms and group.max.session.timeout.ms of the broker allow',
  POLICY_VIOLATION: 'ask whoever runs the broker',
  INCONSISTENT_GROUP_PROTOCOL: 'the group has members of another program; use a group of its own',
};

/** Trouble of the package in our words: refused for good, or away for now. */
export function kafkaError(what: string, where: string, error: unknown): GleitzeitError {
  if (error instanceof GleitzeitError) return error;
  let deepest: Error | undefined;
  for (const inner of within(error)) {
    deepest = inner;
    const hint = typeof inner.apiId === 'string' ? refusals[inner.apiId] : certificateHint(inner);
    if (hint !== undefined) return brokerRefused(what, hint, inner);
    if (inner.code === 'PLT_KFK_AUTHENTICATION')
      return brokerRefused(what, 'correct the user name, the password and the mechanism', inner);
  }
  return brokerAway(what, where, deepest ?? error);
}
