import { priorities } from '../../core/priority.ts';
import type { CommandSpec } from '../spec.ts';
import { pagingOptions } from './shared-options.ts';

const asking = ['unreachable', 'access', 'timeout', 'not_found', 'conflict', 'findings'] as const;
const protocol = {
  name: 'protocol',
  description: 'whose queue; all of them without it',
  required: false,
  complete: 'protocol',
} as const;

export const queueSpecs: readonly CommandSpec[] = [
  {
    name: 'queue list',
    summary: 'tasks that are queued, the oldest first',
    options: [
      { flags: '--priority <priority>', description: 'only these', choices: priorities, repeat: true },
      ...pagingOptions,
    ],
    examples: [
      { command: 'gleitzeit queue list --priority urgent', says: 'what is urgent and has not started' },
    ],
    output: 'task_list',
    exits: asking,
    load: async () => (await import('../commands/queue.ts')).queueList,
  },
  {
    name: 'queue stats',
    summary: 'how many tasks and runs there are, and how many wait',
    examples: [{ command: 'gleitzeit queue stats', says: 'by status, and by protocol and priority' }],
    output: 'queue_stats',
    exits: asking,
    load: async () => (await import('../commands/queue.ts')).queueStats,
  },
  {
    name: 'queue pause',
    summary: 'start no more tasks of a protocol, or none at all',
    arguments: [protocol],
    examples: [
      {
        command: 'gleitzeit queue pause web-search/v1',
        says: 'while its service is repaired; tasks are accepted as before',
      },
    ],
    output: 'queue_state',
    exits: asking,
    load: async () => (await import('../commands/queue.ts')).queuePause,
  },
  {
    name: 'queue resume',
    summary: 'let the tasks of a paused queue start again',
    arguments: [protocol],
    examples: [{ command: 'gleitzeit queue resume web-search/v1', says: 'what waited starts in its order' }],
    output: 'queue_state',
    exits: asking,
    load: async () => (await import('../commands/queue.ts')).queueResume,
  },
];
