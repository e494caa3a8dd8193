import { GleitzeitError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Family, Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { listOf, pageOf, present } from '../queries.ts';
import { maybeTime, taskItem } from '../views.ts';

export function queueHandlers({ engine, reads, protocols }: ControlParts): Handlers<Family<'queue'>> {
  /** One that only another server has in its configuration is known by what waits in it. */
  const requireQueue = async (protocol: string) => {
    const { queued, paused } = await reads.stats();
    const known = [...queued.map((counted) => counted.protocol), ...paused.protocols];
    if (!known.includes(protocol))
      throw noQueue(protocol, [...known, ...protocols.list().map(({ name }) => name)]);
  };
  return {
    'queue.list': async ({ priority, ...paged }) => {
      const { items, next_cursor } = await reads.tasks({
        status: ['queued'],
        order: 'oldest',
        ...present({ priority: listOf(priority) }),
        ...pageOf(paged),
      });
      return { items: items.map(taskItem), next_cursor };
    },

    'queue.stats': async () => {
      const { tasks, runs, queued, paused } = await reads.stats();
      return {
        tasks,
        runs,
        queued: queued.map(({ oldest_created_at, ...counted }) => ({
          ...counted,
          oldest_created_at: maybeTime(oldest_created_at),
        })),
        paused: { all: paused.all, protocols: paused.protocols },
      };
    },

    'queue.pause': async ({ protocol = null }) => {
      if (protocol !== null && protocols.get(protocol) === undefined) await requireQueue(protocol);
      await engine.pauseQueue(protocol);
      return { protocol, paused: true };
    },

    'queue.resume': async ({ protocol = null }) => {
      await engine.resumeQueue(protocol);
      return { protocol, paused: false };
    },
  };
}

function noQueue(protocol: string, known: readonly string[]): GleitzeitError {
  const reason = `no protocol is called "${protocol}", and no task waits for it`;
  return new GleitzeitError('GLZ1003', reason, {
    field: 'protocol',
    reason,
    hint: didYouMean(protocol, [...new Set(known)], 'protocols'),
  });
}
