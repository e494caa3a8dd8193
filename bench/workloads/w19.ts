import { defineWorkload } from '../workload.ts';

/** An assignment, two invitations, two moves, two ends and a result; each is asked and answered. */
const MESSAGES_OF_PLAYERS = 12;

/** The size is the number of players: each meets every other once. */
export const workload = defineWorkload({
  id: 'W19',
  title: 'a league of even_odd, everybody against everybody',
  sizes: { full: 100, quick: 20 },
  needs: ['league'],
  warmUp: false,
  ownOnly: true,
  async run(session, players) {
    const { seconds, matches, manager_messages, bytes } = await session.league(players);
    const messages = manager_messages + matches * MESSAGES_OF_PLAYERS;
    const mib = (metric: string, of: number) =>
      ({ metric, unit: 'MB', better: 'less', value: of / 1e6 }) as const;
    return [
      { metric: 'matches', unit: 'matches/s', better: 'more', value: matches / seconds },
      { metric: 'messages', unit: 'messages/s', better: 'more', value: messages / seconds },
      { metric: 'the whole league', unit: 'min', better: 'less', value: seconds / 60 },
      mib('manager', bytes.managing),
      mib('50 referees', bytes.judging),
      mib('players', bytes.playing),
    ];
  },
});
