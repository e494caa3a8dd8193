import { GleitzeitError } from '../../core/errors.ts';

/** The package that speaks to Kafka: loaded with the first connection, and no part of an installation that does without. */
export async function loadKafka() {
  try {
    return await import('@platformatic/kafka');
  } catch (thrown) {
    const reason = 'the package @platformatic/kafka cannot be loaded';
    const hint = 'install it beside gleitzeit: npm install @platformatic/kafka';
    throw new GleitzeitError('GLZ3202', `Kafka cannot be spoken to: ${reason}`, { reason, hint }, thrown);
  }
}

export type Driver = Awaited<ReturnType<typeof loadKafka>>;
