import type { RunQuery, TaskQuery } from '../core/ports/store.ts';
import { priorities } from '../core/priority.ts';
import { runStatuses } from '../core/run.ts';
import { taskStatuses } from '../core/task.ts';
import {
  readOptions,
  requireNumber,
  requireText,
  requireWord,
  requireWords,
} from '../engine/check-options.ts';

/** `limit`: 100 unless told, at most 1,000. */
export type TaskListQuery = Omit<TaskQuery, 'limit'> & { readonly limit?: number };
export type RunListQuery = Omit<RunQuery, 'limit'> & { readonly limit?: number };

type Check = (field: string, value: unknown) => void;

const DEFAULT_LIMIT = 100;
const MOST = 1000;

const time: Check = (field, value) => void requireNumber(field, value, { least: 0, integer: true });
const common: Readonly<Record<string, Check>> = {
  created_from: time,
  created_to: time,
  order: (field, value) => requireWord(field, value, ['oldest', 'newest']),
  limit: (field, value) => void requireNumber(field, value, { least: 1, most: MOST, integer: true }),
  cursor: requireText,
};
const ofTasks: Readonly<Record<string, Check>> = {
  ...common,
  status: (field, value) => requireWords(field, value, taskStatuses),
  priority: (field, value) => requireWords(field, value, priorities),
  workflow_id: requireText,
};
const ofRuns: Readonly<Record<string, Check>> = {
  ...common,
  status: (field, value) => requireWords(field, value, runStatuses),
  name: requireText,
};

export function taskQuery(given: TaskListQuery): TaskQuery {
  return checked(given, ofTasks);
}

export function runQuery(given: RunListQuery): RunQuery {
  return checked(given, ofRuns);
}

function checked<Query extends object>(
  given: Query,
  checks: Readonly<Record<string, Check>>,
): Query & { readonly limit: number } {
  const query = readOptions(given, Object.keys(checks), { field: 'query' });
  const said = Object.entries(query).filter(([, value]) => value !== undefined);
  for (const [field, value] of said) checks[field]?.(field, value);
  return { limit: DEFAULT_LIMIT, ...(Object.fromEntries(said) as Query) };
}

/** The milliseconds to wait that a caller gave. */
export function readWait(options: unknown): number {
  const { wait = 0 } = readOptions(options, ['wait']);
  return requireNumber('wait', wait, { least: 0 });
}
