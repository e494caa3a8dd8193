import { protocol } from '../typed.ts';

const cursor = {
  cursor: { type: 'string', description: 'where to go on; every page is read where it is left out' },
} as const;

/** Params of MCP are open: `_meta` and what later revisions add pass through. */
export const mcp = protocol({
  name: 'mcp/v1',
  title: 'Model Context Protocol',
  description: 'The methods of MCP that a client calls.',
  extends: 'https://spec.modelcontextprotocol.io/specification/',
  methods: {
    'tools/list': {
      description: 'What the server can do.',
      idempotent: true,
      params: { ...cursor, '*': true },
    },
    'tools/call': {
      description: 'Have it done.',
      params: {
        name: { type: 'string', required: true },
        arguments: { type: 'object' },
        '*': true,
      },
      examples: [{ params: { name: 'add', arguments: { a: 1, b: 2 } } }],
    },
    'resources/list': {
      description: 'What can be read.',
      idempotent: true,
      params: { ...cursor, '*': true },
    },
    'resources/templates/list': {
      description: 'What can be read by a pattern.',
      idempotent: true,
      params: { ...cursor, '*': true },
    },
    'resources/read': {
      description: 'Read it.',
      idempotent: true,
      params: { uri: { type: 'string', required: true }, '*': true },
    },
    'prompts/list': {
      description: 'Prompts the server offers.',
      idempotent: true,
      params: { ...cursor, '*': true },
    },
    'prompts/get': {
      description: 'One of them, filled in.',
      idempotent: true,
      params: { name: { type: 'string', required: true }, arguments: { type: 'object' }, '*': true },
    },
    'completion/complete': {
      description: 'How an argument could go on.',
      idempotent: true,
      params: {
        ref: { type: 'object', required: true },
        argument: { type: 'object', required: true },
        '*': true,
      },
    },
    ping: { description: 'Whether it is there.', idempotent: true, params: { '*': true } },
  },
});
