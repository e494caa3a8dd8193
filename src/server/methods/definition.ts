import { renewWorkflow } from '../../core/function-call.ts';
import type { Handlers } from '../handlers.ts';
import type { ControlParts } from '../parts.ts';
import { pageOf, present } from '../queries.ts';
import { inside } from '../thrown.ts';
import { timeText } from '../views.ts';

export function definitionHandlers({
  definitions,
  functions,
}: ControlParts): Handlers<'workflow.define' | 'workflow.definitions'> {
  return {
    'workflow.define': ({ workflow }) =>
      inside('/workflow', async () => definitions.define(renewWorkflow(workflow, functions()))),

    'workflow.definitions': async ({ name, ...paged }) => {
      const { items, next_cursor } = await definitions.list({ ...present({ name }), ...pageOf(paged) });
      return {
        items: items.map((item) => ({ ...item, defined_at: timeText(item.defined_at) })),
        next_cursor,
      };
    },
  };
}
