import { roles } from '../../api/roles.ts';
import { words } from '../../api/shapes/basic.ts';
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
  token_created: Type.Object({
    key: Type.String({ description: 'shown this once' }),
    entry: Type.Object({ name: Type.String(), role: words(roles), hash: Type.String() }),
  }),
};
