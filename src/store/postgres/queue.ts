import { isClaimable, type TaskRow } from '../../core/records.ts';
import { integers, texts } from './arrays.ts';
import type { Numbered } from './columns.ts';
import type { Query, Statement } from './statement.ts';

/*
 * A task that is neither completed nor waiting stands in exactly one place: in the queue while it may be claimed, among
 * the claims while an engine holds it, and on the list by status otherwise. Waiting ones are found through their runs.
 * Those on the list that wait in a line stand in that line as well.
 */

/** Whether the task stands on the list. */
export function isListed(row: TaskRow): boolean {
  const { status, owner } = row;
  return status !== 'completed' && status !== 'waiting' && owner === null && !isClaimable(row);
}

const intoQueue: Statement = {
  name: 'enqueue',
  text: `INSERT INTO ready (lane, rank, n, fence) SELECT unnest($1::text[]), unnest($2::bigint[]),
    unnest($3::bigint[]), unnest($4::bigint[])`,
};

const fromQueue: Statement = {
  name: 'dequeue',
  text: `DELETE FROM ready r USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS u (lane, rank, n)
    WHERE r.lane = u.lane AND r.rank = u.rank AND r.n = u.n`,
};

const intoList: Statement = {
  name: 'list',
  text: 'INSERT INTO listed (status, n) SELECT unnest($1::text[]), unnest($2::bigint[])',
};

const fromList: Statement = {
  name: 'unlist',
  text: `DELETE FROM listed l USING unnest($1::text[], $2::bigint[]) AS u (status, n)
    WHERE l.status = u.status AND l.n = u.n`,
};

const intoLine: Statement = {
  name: 'line_up',
  text: 'INSERT INTO lined (name, rank, n) SELECT unnest($1::text[]), unnest($2::bigint[]), unnest($3::bigint[])',
};

const fromLine: Statement = {
  name: 'leave_line',
  text: `DELETE FROM lined l USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS u (name, rank, n)
    WHERE l.name = u.name AND l.rank = u.rank AND l.n = u.n`,
};

type Tasks = readonly Numbered<TaskRow>[];

export function enqueue(tasks: Tasks): Query[] {
  const fences = () => integers(tasks.map(({ row }) => row.fence));
  return tasks.length === 0 ? [] : [{ statement: intoQueue, values: [...places(tasks), fences()] }];
}

export function dequeue(tasks: Tasks): Query[] {
  return tasks.length === 0 ? [] : [{ statement: fromQueue, values: places(tasks) }];
}

function places(tasks: Tasks): Buffer[] {
  return [
    texts(tasks.map(({ row }) => row.lane)),
    integers(tasks.map(({ row }) => row.rank)),
    integers(tasks.map(({ n }) => n)),
  ];
}

export function list(tasks: Tasks): Query[] {
  return tasks.length === 0 ? [] : [{ statement: intoList, values: entries(tasks) }];
}

export function unlist(tasks: Tasks): Query[] {
  return tasks.length === 0 ? [] : [{ statement: fromList, values: entries(tasks) }];
}

function entries(tasks: Tasks): Buffer[] {
  return [texts(tasks.map(({ row }) => row.status)), integers(tasks.map(({ n }) => n))];
}

export function lineUp(tasks: Tasks): Query[] {
  return tasks.length === 0 ? [] : [{ statement: intoLine, values: linePlaces(tasks) }];
}

export function leaveLine(tasks: Tasks): Query[] {
  return tasks.length === 0 ? [] : [{ statement: fromLine, values: linePlaces(tasks) }];
}

function linePlaces(tasks: Tasks): Buffer[] {
  return [
    texts(tasks.map(({ row }) => row.parked)),
    integers(tasks.map(({ row }) => row.rank)),
    integers(tasks.map(({ n }) => n)),
  ];
}
