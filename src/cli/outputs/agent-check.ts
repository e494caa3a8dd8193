import { checkedParts } from '../../api/shapes/agent-check.ts';
import { nullable } from '../../api/shapes/basic.ts';
import { Type } from '../../type.ts';

export const agentCheckOutputs = {
  agent_checked: Type.Object({
    well: Type.Boolean({ description: 'none of them has what it ends with 1 for' }),
    agents: Type.Array(
      Type.Object({
        name: nullable(Type.String(), { description: 'null for one that was given by its address' }),
        ...checkedParts,
      }),
    ),
  }),
};
