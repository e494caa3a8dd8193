import { defineWorkload } from '../workload.ts';

/** The size is the number of tasks that wait behind a limit. */
export const workload = defineWorkload({
  id: 'W16',
  title: 'limits: a provider at 10/s beside a free one, tasks that wait, 1,000 keys on 100 slots',
  sizes: { full: 100_000, quick: 10_000 },
  needs: ['limits'],
  warmUp: false,
  ownOnly: true,
  async run(session, tasks) {
    const { arriving_share, beside_share, ...shares } = await session.limits(tasks);
    const { idle_core_share, waiting_core_share, parked_core_share } = shares;
    const { keys, keys_of_protocol } = shares;
    const ofKeys = (metric: string, value: number) => ({ metric, unit: 'x', better: 'more' as const, value });
    return [
      { metric: 'free provider, of its rate alone', unit: 'x', better: 'more', value: beside_share },
      {
        metric: 'free provider while they find their line, of its rate alone',
        unit: 'x',
        better: 'more',
        value: arriving_share,
      },
      { metric: 'before any wait', unit: '% of a core', better: 'less', value: idle_core_share * 100 },
      { metric: 'while all wait', unit: '% of a core', better: 'less', value: waiting_core_share * 100 },
      { metric: 'with 10 calls/s', unit: '% of a core', better: 'less', value: parked_core_share * 100 },
      ofKeys('slowest key, of the fastest', keys.slowest_share),
      ofKeys('slowest key after a restart, of the fastest', keys.restarted_share),
      ofKeys(
        'slowest key where the slots are the protocol’s, of the fastest',
        keys_of_protocol.slowest_share,
      ),
      ofKeys(
        'slowest key where the slots are the protocol’s, after a restart, of the fastest',
        keys_of_protocol.restarted_share,
      ),
    ];
  },
});
