import { roles } from '../../api/roles.ts';
import { nullable, words } from '../../api/shapes/basic.ts';
import { Type } from '../../type.ts';

const count = Type.Integer({ minimum: 0 });

export const serverOutputs = {
  demo: Type.Object({
    kills: count,
    tasks: count,
    completed: count,
    executed_twice_after_completion: count,
    seconds: Type.Number({ minimum: 0 }),
  }),
  broker_status: Type.Object({
    type: words(['local', 'kafka', 'redis', 'rabbitmq']),
    place: Type.String(),
    topics: Type.Array(
      Type.Object({
        topic: Type.String(),
        group: Type.String(),
        lag: nullable(count, { description: 'what the group has not acknowledged; null: no such topic yet' }),
        partitions: Type.Array(count, {
          description: 'the same by the number of the partition; empty where the broker has none',
        }),
      }),
    ),
    dead_letters: nullable(count, { description: 'messages that nobody could read; null: not told' }),
  }),
  token_created: Type.Object({
    key: Type.String({ description: 'shown this once' }),
    entry: Type.Object({ name: Type.String(), role: words(roles), hash: Type.String() }),
  }),
};
