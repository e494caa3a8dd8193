import { GleitzeitError } from '../../core/errors.ts';

/** The package that speaks AMQP: loaded with the first connection, and no part of an installation that does without. */
export async function loadAmqp() {
  try {
    return (await import('amqplib')).default;
  } catch (thrown) {
    const reason = 'the package amqplib cannot be loaded';
    const hint = 'install it beside gleitzeit: npm install amqplib';
    throw new GleitzeitError('GLZ3202', `RabbitMQ cannot be spoken to: ${reason}`, { reason, hint }, thrown);
  }
}

export type Driver = Awaited<ReturnType<typeof loadAmqp>>;
