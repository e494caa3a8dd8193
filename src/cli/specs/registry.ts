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
    summary: 'let a provider that was drained get calls again',
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
      { flags: '--method <name>', description: 'what to call; rpc.discover or its health check without it' },
    ],
    examples: [
      {
        command: 'gleitzeit provider test search-1',
        says: 'any answer is a good one; exit 1 where there is none',
      },
    ],
    output: 'provider_test',
    exits: asking,
    load: async () => (await import('../commands/provider.ts')).providerTest,
  },
];
