import { protocol } from '../typed.ts';

export const python = protocol({
  name: 'python/v1',
  title: 'Python',
  description: 'Running Python code on the machine of the engine.',
  methods: {
    execute: {
      description: 'Run a piece of code, or a file. What it leaves in `result` is the result.',
      params: {
        type: 'object',
        properties: {
          code: { type: 'string', description: 'the code itself' },
          file: { type: 'string', description: 'a file with the code, below the folder of the provider' },
          context: { type: 'object', description: 'names that the code finds set' },
          args: { type: ['array', 'object'], description: 'given as `args`' },
        },
        oneOf: [{ required: ['code'] }, { required: ['file'] }],
        additionalProperties: false,
      },
      examples: [{ params: { code: 'result = a + b', context: { a: 1, b: 2 } } }],
    },
  },
});
