import type { Changes, RunHappenings } from '../../core/changes.ts';
import { booleans, integers, texts } from './arrays.ts';
import { eventsText } from './event-text.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Statement } from './statement.ts';

/**
 * Gives the events of a commit their numbers. The row of the feed stays locked from here until the commit, so numbers
 * become visible in their order, and a reader that remembers the highest one misses none.
 */
const numberEvents: Statement = {
  name: 'number_events',
  text: `WITH counted AS (UPDATE feed SET last = last + $1::bigint RETURNING last - $1::bigint AS before)
    INSERT INTO event (cursor, run_n, run_key, lone, settles, first_seq, at, events)
    SELECT before + u.upto, u.run_n, u.run_key, u.lone, u.settles, u.first_seq, $2::bigint, u.events
    FROM counted, (
      SELECT unnest($3::bigint[]) AS upto, unnest($4::bigint[]) AS run_n, unnest($5::text[]) AS run_key,
        unnest($6::boolean[]) AS lone, unnest($7::boolean[]) AS settles, unnest($8::bigint[]) AS first_seq,
        unnest($9::text[]) AS events
    ) AS u`,
};

/** One row for each run, in the order they were told. */
export function number({ happenings, settled }: Changes, rows: LoadedRows, now: number): Query[] {
  if (happenings.length === 0) return [];
  const settledIds = new Set(settled.map(({ task_id }) => task_id));
  const isLone = ({ workflow_id }: RunHappenings) => workflow_id === null;
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
        integers(happenings.map((run) => rows.numberOf(run))),
        texts(happenings.map(({ run_key }) => run_key)),
        booleans(happenings.map(isLone)),
        booleans(happenings.map((run) => isLone(run) && settledIds.has(run.run_key ?? ''))),
        integers(happenings.map(({ first_seq }) => first_seq)),
        texts(happenings.map(eventsText)),
      ],
    },
  ];
}
