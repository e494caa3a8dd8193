import { Type } from '../../type.ts';
import { method } from '../method.ts';
import { anyObject, noParams, page } from '../shapes/basic.ts';

const functionItem = Type.Object(
  {
    name: Type.String(),
    protocol: Type.String(),
    method: Type.String(),
    params: Type.Optional(anyObject),
  },
  { title: 'FunctionMapping' },
);

export const functionMethods = {
  'function.list': method({
    summary: 'Lists the functions that tasks of earlier generations may call',
    description:
      'They stand under `functions` in the configuration. A task with `function` and `args` in the place of `protocol`, ' +
      '`method` and `params` is taken as the method it is today. Where `params` is left out, the arguments are the params.',
    role: 'viewer',
    params: noParams,
    result: page(functionItem),
    errors: [],
    examples: [
      {
        name: 'one',
        params: {},
        result: {
          items: [
            {
              name: 'web_search',
              protocol: 'web-search/v1',
              method: 'search',
              params: { query: '${args.q}' },
            },
          ],
          next_cursor: null,
        },
      },
    ],
  }),
};
