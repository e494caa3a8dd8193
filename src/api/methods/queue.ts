import { priorities } from '../../core/priority.ts';
import { method } from '../method.ts';
import { noParams, oneOrMore, page, paging, params } from '../shapes/basic.ts';
import { queueName, queueState, queueStats } from '../shapes/queue.ts';
import { taskItem } from '../shapes/task.ts';
import * as sample from './samples.ts';

const protocol = 'web-search/v1';

export const queueMethods = {
  'queue.list': method({
    summary: 'Lists the tasks that are queued, the oldest first',
    description: 'The order in which they start also depends on their priority.',
    role: 'viewer',
    params: params({ priority: oneOrMore(priorities, 'only tasks of these priorities'), ...paging }),
    result: page(taskItem),
    errors: [],
    examples: [
      {
        name: 'the first ten',
        params: { limit: 10 },
        result: {
          items: [{ ...sample.item, status: 'queued', attempt_count: 0, settled_at: null }],
          next_cursor: null,
        },
      },
    ],
  }),

  'queue.stats': method({
    summary: 'Counts tasks and runs',
    role: 'viewer',
    params: noParams,
    result: queueStats,
    errors: [],
    examples: [
      {
        name: 'a small system',
        params: {},
        result: {
          tasks: { queued: 3, executing: 1, completed: 40 },
          runs: { running: 1, completed: 12 },
          queued: [{ protocol, priority: 'normal', count: 3, oldest_created_at: sample.at }],
          paused: { all: false, protocols: [] },
        },
      },
    ],
  }),

  'queue.pause': method({
    summary: 'Starts no more tasks of a protocol, or none at all',
    description:
      'On every engine, and over restarts. Calls under way go on, and tasks are accepted as before.',
    role: 'operator',
    params: params(queueName),
    result: queueState,
    errors: ['GLZ1003'],
    examples: [{ name: 'one protocol', params: { protocol }, result: { protocol, paused: true } }],
  }),

  'queue.resume': method({
    summary: 'Lets the tasks of a paused queue start again',
    description: 'One protocol cannot go on by itself while everything is paused.',
    role: 'operator',
    params: params(queueName),
    result: queueState,
    errors: ['GLZ1011'],
    examples: [{ name: 'everything', params: {}, result: { protocol: null, paused: false } }],
  }),
};
