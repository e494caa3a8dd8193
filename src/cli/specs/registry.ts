import type { CommandSpec } from '../spec.ts';

const asking = ['unreachable', 'access', 'timeout', 'not_found', 'conflict', 'findings'] as const;

/** Protocols and providers. */
export const registrySpecs: readonly CommandSpec[] = [
  {
    name: 'protocol list',
    summary: 'the protocols that are known, and who serves them',
    examples: [{ command: 'gleitzeit protocol list', says: 'with their methods' }],
    output: 'protocol_list',
    exits: asking,
    load: async () => (await import('../commands/protocol.ts')).protocolList,
  },
  {
    name: 'protocol get',
    summary: 'the whole of a protocol, with its schemas',
    arguments: [{ name: 'name', description: 'with its version: web-search/v1', complete: 'protocol' }],
    examples: [{ command: 'gleitzeit protocol get web-search/v1 -o yaml', says: 'as it would be written' }],
    output: 'protocol',
    exits: asking,
    load: async () => (await import('../commands/protocol.ts')).protocolGet,
  },
  {
    name: 'protocol register',
    summary: 'add a protocol from a file, on every engine of the store',
    arguments: [{ name: 'file', description: 'YAML or JSON; - is standard input', complete: 'file' }],
    options: [{ flags: '--replace', description: 'put it in the place of another one of the same name' }],
    examples: [
      { command: 'gleitzeit protocol register web-search.yaml', says: 'the same again is no error' },
    ],
    output: 'protocol_registered',
    exits: asking,
    load: async () => (await import('../commands/protocol.ts')).protocolRegister,
  },
  {
    name: 'protocol import',
    summary: 'make a protocol, with its provider, of what a service says of itself',
    description:
      'Reads an OpenAPI 3 or OpenRPC document, the tools/list of an MCP server or the introspection of a GraphQL service, and prints what belongs into a configuration. ' +
      'With --kind a server is asked itself: openrpc by rpc.discover, graphql by introspection, mcp for its tools.',
    arguments: [
      { name: 'source', description: 'a file, an address, or - for standard input', complete: 'file' },
      {
        name: 'argument',
        description: 'with --command: of the program',
        required: false,
        variadic: true,
      },
    ],
    options: [
      {
        flags: '--kind <kind>',
        description: 'what it is; found out where it is left out',
        choices: ['openapi', 'openrpc', 'mcp', 'graphql'],
      },
      { flags: '--name <name>', description: 'what tasks call the protocol by: petstore/v1' },
      { flags: '--url <url>', description: 'where the service is, where the document does not say so' },
      { flags: '--command', description: 'the source is a program that speaks MCP over stdio' },
    ],
    examples: [
      {
        command: 'gleitzeit protocol import openapi.yaml --name petstore/v1',
        says: 'with a mapping to requests',
      },
      {
        command: 'gleitzeit protocol import --kind mcp http://127.0.0.1:3000/mcp',
        says: 'a method for each tool',
      },
      { command: 'gleitzeit protocol import --command -- node server.js', says: 'the same over stdio' },
    ],
    output: 'protocol_imported',
    exits: ['unreachable', 'access', 'timeout', 'not_found', 'findings'],
    load: async () => (await import('../commands/protocol-import.ts')).protocolImport,
  },
  {
    name: 'protocol docs',
    summary: 'a page about a protocol, in Markdown',
    arguments: [
      {
        name: 'name',
        description: 'of a protocol that is known, or of the library: llm/v1; all that are known without it',
        required: false,
        complete: 'protocol',
      },
    ],
    examples: [
      { command: 'gleitzeit protocol docs llm/v1 > llm.md', says: 'methods, params, results, examples' },
    ],
    output: 'protocol_docs',
    exits: asking,
    load: async () => (await import('../commands/protocol-docs.ts')).protocolDocs,
  },
  {
    name: 'protocol stats',
    summary: 'what calls came to: errors, latencies, retries, tokens and cost',
    description: 'Of all engines on the store. With a name also for each of its providers and methods.',
    arguments: [
      { name: 'name', description: 'of a protocol: web-search/v1', required: false, complete: 'protocol' },
    ],
    options: [
      {
        flags: '--window <window>',
        description: 'how far back: the hour by the minute, the day by the hour',
        choices: ['hour', 'day'],
        default: 'hour',
      },
      { flags: '--over-time', description: 'a line for each minute or hour with calls' },
    ],
    examples: [
      { command: 'gleitzeit protocol stats', says: 'every protocol, over the last hour' },
      { command: 'gleitzeit protocol stats llm/v1 --window day --over-time', says: 'hour by hour' },
    ],
    output: 'protocol_stats',
    exits: asking,
    load: async () => (await import('../commands/protocol-stats.ts')).protocolStats,
  },
  {
    name: 'provider list',
    summary: 'the providers that are connected, and how they do',
    options: [
      { flags: '--protocol <name>', description: 'only those of this protocol', complete: 'protocol' },
    ],
    examples: [{ command: 'gleitzeit provider list', says: 'with calls, errors and latency' }],
    output: 'provider_list',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerList,
  },
  {
    name: 'provider status',
    summary: 'how a provider does',
    arguments: [{ name: 'id', description: 'of the provider', complete: 'provider' }],
    examples: [{ command: 'gleitzeit provider status search-1', says: 'with its last error' }],
    output: 'provider',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerStatus,
  },
  {
    name: 'provider drain',
    summary: 'give a provider no more calls until it is resumed',
    arguments: [{ name: 'id', description: 'of the provider', complete: 'provider' }],
    examples: [
      { command: 'gleitzeit provider drain search-1', says: 'before it is repaired; calls that run go on' },
    ],
    output: 'provider_state',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerDrain,
  },
  {
    name: 'provider resume',
    summary: 'let a provider get calls again that was drained, asked to be left alone, or failed',
    arguments: [{ name: 'id', description: 'of the provider', complete: 'provider' }],
    examples: [{ command: 'gleitzeit provider resume search-1', says: 'what waited for it starts' }],
    output: 'provider_state',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerResume,
  },
  {
    name: 'provider test',
    summary: 'ask a provider something now, and tell how it went',
    arguments: [{ name: 'id', description: 'of the provider', complete: 'provider' }],
    options: [
      {
        flags: '--method <name>',
        description: 'what to call; without it what its health check or its type asks',
      },
    ],
    examples: [
      {
        command: 'gleitzeit provider test search-1',
        says: 'asks what gives it no work; exit 1 where it is not well',
      },
    ],
    output: 'provider_test',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerTest,
  },
];
