import type pg from 'pg';

/** An event as it goes over the wire. */
export type WireEvent = {
  readonly cursor: number;
  readonly event: string;
  readonly [field: string]: unknown;
};

/*
 * The log told by SQL alone, apart from the code that reads it for the server. A row holds entries: `b` stands for the
 * three events that begin an attempt, `q` for the first event of a task alone, `e` for any other.
 */
const prepare = `
  CREATE OR REPLACE FUNCTION pg_temp.told_time(ms numeric) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(timestamp 'epoch' + ms::bigint * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
  CREATE OR REPLACE FUNCTION pg_temp.told_data(data jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT coalesce(jsonb_object_agg(key, CASE
      WHEN key IN ('due_at', 'started_at') AND jsonb_typeof(value) = 'number'
        THEN to_jsonb(pg_temp.told_time(value::numeric)) ELSE value END), '{}') FROM jsonb_each(data) $$`;

const told = `
  WITH entries AS (
    SELECT e.cursor AS last, e.first_seq, e.at, e.run_key, place, x,
      CASE WHEN NOT e.lone THEN e.run_key END AS workflow_id,
      t.priority, b.params_hash, b.spec::jsonb AS spec,
      CASE WHEN jsonb_array_length(x) > CASE x ->> 0 WHEN 'b' THEN 4 ELSE 3 END
        THEN x ->> -1 ELSE e.run_key END AS who
    FROM event e LEFT JOIN task t ON e.lone AND t.n = e.run_n LEFT JOIN task_body b ON b.n = t.n,
      LATERAL jsonb_array_elements(e.events::jsonb) WITH ORDINALITY AS entry (x, place)
  ), single AS (
    SELECT entries.*, event, data, row_number() OVER one AS number, count(*) OVER (PARTITION BY last) AS of_row
    FROM entries, LATERAL (
      SELECT 1 AS part, x ->> 1 AS event, x -> 2 AS data WHERE x ->> 0 = 'e'
      UNION ALL SELECT 1, 'task:queued', jsonb_build_object('reason', 'submitted', 'task', jsonb_build_object(
          'id', run_key, 'name', spec -> 'name', 'protocol', spec -> 'protocol', 'method', spec -> 'method',
          'priority', x -> 1, 'dependencies', spec -> 'dependencies', 'params_hash', params_hash))
        WHERE x ->> 0 = 'q'
      UNION ALL SELECT 1, 'task:validated', '{}'::jsonb WHERE x ->> 0 = 'b'
      UNION ALL SELECT 2, 'task:routed', jsonb_build_object('provider', x -> 1) WHERE x ->> 0 = 'b'
      UNION ALL SELECT 3, 'task:started', jsonb_build_object('attempt', x -> 2, 'started_at', x -> 3)
        WHERE x ->> 0 = 'b') AS parts
    WINDOW one AS (PARTITION BY last ORDER BY place, part)
  )
  SELECT jsonb_build_object('cursor', last - of_row + number, 'event', event, 'at', pg_temp.told_time(at),
      'data', pg_temp.told_data(data))
    || CASE WHEN who IS NULL THEN '{}' ELSE jsonb_build_object('task_id', who) END
    || CASE WHEN workflow_id IS NULL THEN '{}' ELSE jsonb_build_object('workflow_id', workflow_id) END
    || CASE WHEN run_key IS NULL THEN '{}' ELSE jsonb_build_object('seq', first_seq + number - 1) END AS told
  FROM single
  ORDER BY last - of_row + number`;

/** All there is. The client's search path is the store's schema. */
export async function readLog(client: pg.Client): Promise<WireEvent[]> {
  await client.query(prepare);
  const { rows } = await client.query<{ told: WireEvent }>(told);
  return rows.map((row) => row.told);
}
