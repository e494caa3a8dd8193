import type { RunHappenings } from '../../core/changes.ts';
import { booleans, integers, texts } from './arrays.ts';
import { eventsText } from './event-text.ts';
import type { Query, Statement } from './session.ts';

/**
 * Gives the events of a commit their numbers. The row of the feed stays locked from here until the commit, so numbers
 * become visible in their order, and a reader that remembers the highest one misses none.
 */
const numberEvents: Statement = {
  name: 'number_events',
  text: `WITH counted AS (UPDATE feed SET last = last + $1::bigint RETURNING last - $1::bigint AS before)
    INSERT INTO event (cursor, run_key, lone, first_seq, at, events)
    SELECT before + u.upto, u.run_key, u.lone, u.first_seq, $2::bigint, u.events FROM counted, (
      SELECT unnest($3::bigint[]) AS upto, unnest($4::text[]) AS run_key, unnest($5::boolean[]) AS lone,
        unnest($6::bigint[]) AS first_seq, unnest($7::text[]) AS events
    ) AS u`,
};

/** One row for each run, in the order they were told. */
export function number(happenings: readonly RunHappenings[], now: number): Query[] {
  if (happenings.length === 0) return [];
  let total = 0;
  const upto = happenings.map(({ events }) => {
    total += events.length;
    return total;
  });
  return [
    {
      statement: numberEvents,
      values: [
        total,
        now,
        integers(upto),
        texts(happenings.map(({ run_key }) => run_key)),
        booleans(happenings.map(({ workflow_id }) => workflow_id === null)),
        integers(happenings.map(({ first_seq }) => first_seq)),
        texts(happenings.map(({ events, run_key }) => eventsText(events, run_key))),
      ],
    },
  ];
}
