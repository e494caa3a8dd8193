import { priorities } from '../../core/priority.ts';
import { runStatuses } from '../../core/run.ts';
import { taskStatuses } from '../../core/task.ts';
import { Type } from '../../type.ts';
import { name, nullable, time, words } from './basic.ts';

function counts<const Words extends readonly string[]>(list: Words, description: string) {
  return Type.Unsafe<Partial<Record<Words[number], number>>>({
    type: 'object',
    properties: Object.fromEntries(list.map((word) => [word, { type: 'integer', minimum: 0 }])),
    description,
  });
}

export const queueStats = Type.Object(
  {
    tasks: counts(taskStatuses, 'tasks by status; a status without tasks is left out'),
    runs: counts(runStatuses, 'runs by status'),
    queued: Type.Array(
      Type.Object({
        protocol: Type.String(),
        priority: words(priorities),
        count: Type.Integer({ minimum: 1 }),
        oldest_created_at: nullable(time, {
          description: 'of those next in line; null where none of this priority is among the first',
        }),
      }),
      { description: 'what could be started now, by protocol and priority' },
    ),
    paused: Type.Object({
      all: Type.Boolean(),
      protocols: Type.Array(Type.String(), { description: 'those paused by themselves' }),
    }),
  },
  { title: 'QueueStats' },
);

export const queueName = {
  protocol: Type.Optional(name('the queue of this protocol; without it all of them')),
};

export const queueState = Type.Object(
  { protocol: nullable(Type.String()), paused: Type.Boolean() },
  { title: 'QueueState' },
);
