import { GleitzeitError } from '../../core/errors.ts';

/** The package that speaks to Redis: loaded with the first connection, and no part of an installation that does without. */
export async function loadRedis() {
  try {
    return await import('@redis/client');
  } catch (thrown) {
    const reason = 'the package @redis/client cannot be loaded';
    const hint = 'install it beside gleitzeit: npm install @redis/client';
    throw new GleitzeitError('GLZ3202', `Redis cannot be spoken to: ${reason}`, { reason, hint }, thrown);
  }
}

export type Driver = Awaited<ReturnType<typeof loadRedis>>;
