import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { count, name, page, paging, params, time } from '../shapes/basic.ts';
import { workflowInput } from '../shapes/workflow.ts';
import * as sample from './samples.ts';
import { submitWorkflowErrors } from './workflow.ts';

export const definitionMethods = {
  'workflow.define': method({
    summary: 'Keeps a workflow under its name and version, to be started by name',
    description:
      'A version stays what it is: the same again is no error, something else under it is refused. Without `version` ' +
      'the next number is given, unless the newest is the same.',
    role: 'operator',
    params: params({ workflow: workflowInput }),
    engine_judges: ['workflow'],
    result: Type.Object({ name: Type.String(), version: Type.String(), created: Type.Boolean() }),
    errors: [...submitWorkflowErrors, 'GLZ1013'],
    examples: [
      {
        name: 'the first version',
        params: { workflow: { ...sample.workflow, version: '1' } },
        result: { name: 'Research and Summarize', version: '1', created: true },
      },
    ],
  }),

  'workflow.definitions': method({
    summary: 'Lists the workflows that were defined',
    role: 'viewer',
    params: params({ name: Type.Optional(name('only versions of this one')), ...paging }),
    result: page(
      Type.Object(
        {
          name: Type.String(),
          version: Type.String(),
          tasks: count,
          defined_at: time,
        },
        { title: 'Definition' },
      ),
    ),
    errors: [],
    examples: [
      {
        name: 'all',
        params: {},
        result: {
          items: [{ name: 'Research and Summarize', version: '1', tasks: 2, defined_at: sample.at }],
          next_cursor: null,
        },
      },
    ],
  }),
};
