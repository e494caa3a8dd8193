import { runStatuses } from '../../core/run.ts';
import { taskStatuses } from '../../core/task.ts';
import type { CommandSpec } from '../spec.ts';
import { pagingOptions } from './shared-options.ts';

const asking = ['unreachable', 'access', 'timeout', 'not_found', 'conflict', 'findings'] as const;
const statuses = [...new Set<string>([...runStatuses, ...taskStatuses])];
const id = { name: 'id', description: 'of a run or a task', complete: 'any-id' } as const;

/** Commands that look at runs and tasks. */
export const lookSpecs: readonly CommandSpec[] = [
  {
    name: 'list',
    summary: 'runs, the newest first; with --tasks tasks',
    options: [
      { flags: '--tasks', description: 'tasks instead of runs' },
      {
        flags: '--status <status>',
        description: 'only what is in this status; several are separated by commas',
        repeat: true,
        words: statuses,
      },
      { flags: '--name <name>', description: 'only runs of this workflow' },
      { flags: '--run <id>', description: 'with --tasks: only those of this run', complete: 'run' },
      { flags: '--since <time>', description: 'only what was created since: 30m, 2h, 7d, or a date' },
      ...pagingOptions,
    ],
    examples: [
      { command: 'gleitzeit list', says: 'the newest runs' },
      { command: 'gleitzeit list --status failed --since 24h', says: 'what failed in the last day' },
      {
        command: 'gleitzeit list --tasks --status retrying -o json',
        says: 'tasks that are tried again, for a program',
      },
      { command: 'gleitzeit list --status running -o name', says: 'only ids, for xargs' },
    ],
    output: 'list',
    exits: asking,
    load: async () => (await import('../commands/list.ts')).list,
  },
  {
    name: 'status',
    summary: 'how far a run or a task is, with its tasks or attempts',
    arguments: [id],
    options: [{ flags: '--all', description: 'every task of a large run' }],
    examples: [
      {
        command: 'gleitzeit status 0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40',
        says: 'of a run or of a task: it finds out',
      },
      {
        command: 'gleitzeit status 0197c2a5-0b6d -o json --fields status,open',
        says: 'a beginning is enough, if it fits only one',
      },
    ],
    output: 'status',
    exits: asking,
    load: async () => (await import('../commands/status.ts')).status,
  },
  {
    name: 'result',
    summary: 'what a run or a task came to',
    arguments: [id],
    options: [
      {
        flags: '-w, --wait',
        description: 'wait for the end, and end as it did: 10 failed, 11 cancelled, 12 waits for input',
      },
      {
        flags: '--task <id>',
        description: 'of a run only the results of these tasks, by short id',
        repeat: true,
      },
    ],
    examples: [
      {
        command: 'gleitzeit result 0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40 --wait',
        says: 'as soon as it is there',
      },
      {
        command: 'gleitzeit result 0197c2a5-0b6d --task summarize -o json',
        says: 'of one task of a run',
      },
    ],
    output: 'result',
    exits: [...asking, 'run_failed', 'run_cancelled', 'run_waiting'],
    load: async () => (await import('../commands/result.ts')).result,
  },
  {
    name: 'events',
    summary: 'what happened, and with -f what happens next',
    description: 'With -o json each event is a line of its own, as with jsonl.',
    arguments: [{ ...id, required: false }],
    options: [
      { flags: '-f, --follow', description: 'go on with what happens next, until Ctrl-C' },
      { flags: '--from <cursor>', description: 'only what came after this event; 0 is the beginning' },
      { flags: '--type <name>', description: 'only these: task:failed,workflow:failed', repeat: true },
      { flags: '--limit <number>', description: 'at most so many' },
    ],
    examples: [
      { command: 'gleitzeit events 0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40', says: 'the story of a run' },
      { command: 'gleitzeit events -f --type task:failed', says: 'every task that fails from now on' },
      { command: 'gleitzeit events --from 8412 -o jsonl', says: 'everything after an event, for a program' },
    ],
    output: 'event',
    exits: [...asking, 'interrupted'],
    load: async () => (await import('../commands/events.ts')).events,
  },
];
