import type { CommandSpec } from '../spec.ts';

/** Commands that are a server, and what shows one off. */
export const serverSpecs: readonly CommandSpec[] = [
  {
    name: 'serve',
    summary: 'the server: JSON-RPC at /rpc, events at /events, providers from the configuration',
    examples: [
      { command: 'gleitzeit serve', says: 'with gleitzeit.yaml from here or above, on 127.0.0.1:8000' },
      { command: 'gleitzeit serve --config prod.yaml', says: 'with another configuration' },
    ],
    output: null,
    exits: ['not_found', 'unreachable', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    name: 'bridge',
    summary: 'make the calls that engines, or other executors, publish on a broker',
    description:
      'Any number of bridges share the work. SIGTERM: takes no more, finishes calls until bridge.stop_timeout, and leaves the ' +
      'rest to others.',
    examples: [
      { command: 'gleitzeit bridge', says: 'with dispatch and agents of gleitzeit.yaml' },
      {
        command: 'KAFKA_BROKERS=kafka:9092 AGENT_REGISTRY_URL=http://gleitzeit:8000 gleitzeit bridge',
        says: 'without a file, with the agents of a server',
      },
    ],
    output: null,
    exits: ['not_found', 'unreachable', 'access', 'findings', 'interrupted'],
    load: async () => (await import('../commands/bridge.ts')).bridge,
  },
  {
    name: 'broker status',
    summary: 'how far engines and bridges have come with what stands at the broker',
    description: 'Nothing is changed or created there.',
    examples: [
      { command: 'gleitzeit broker status', says: 'the broker of the configuration, or of KAFKA_BROKERS' },
      { command: 'gleitzeit broker status -o json', says: 'for programs' },
    ],
    output: 'broker_status',
    exits: ['not_found', 'unreachable', 'findings'],
    load: async () => (await import('../commands/bridge.ts')).brokerStatus,
  },
  {
    name: 'zone gateway',
    summary: 'take messages of a chat, ask the execution zone, and post its replies',
    description:
      'What was taken is kept in zone.gateway.store until its reply is posted, over restarts too. SIGTERM: takes no more, and ' +
      'leaves what is not done to the next start.',
    examples: [
      { command: 'gleitzeit zone gateway', says: 'with zone.gateway of gleitzeit.yaml' },
      { command: 'gleitzeit zone gateway --config gateway.yaml', says: 'with another configuration' },
    ],
    output: null,
    exits: ['not_found', 'unreachable', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/zone.ts')).zoneGateway,
  },
  {
    name: 'zone execute',
    summary: 'an execution zone for whoever starts it, over stdin and stdout',
    description:
      'One message a line, as the carrier stdio of a gateway has them; the log goes to stderr. Tasks run on an engine in this process, ' +
      'with zone.execute and the store of the configuration. It ends with its input; what was accepted goes on at the next start.',
    options: [
      {
        flags: '--stdio',
        description: 'over stdin and stdout; over a network it is `serve`',
        required: true,
      },
    ],
    examples: [
      { command: 'gleitzeit zone execute --stdio', says: 'with gleitzeit.yaml from here or above' },
      { command: 'gleitzeit zone execute --stdio --config zone.yaml', says: 'with another configuration' },
    ],
    output: null,
    exits: ['not_found', 'unreachable', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/zone.ts')).zoneExecute,
  },
  {
    name: 'start',
    summary: 'a server with a demo on it: two agents, one workflow, and what to try next',
    examples: [{ command: 'gleitzeit start', says: 'runs the demo, then listens until Ctrl-C' }],
    output: null,
    exits: ['unreachable', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/start.ts')).start,
  },
  {
    name: 'demo',
    summary: 'a workflow that is killed with -9 half way and finishes after the restart',
    options: [{ flags: '--json', description: 'the last line on stdout is one JSON document, as -o json' }],
    examples: [
      { command: 'gleitzeit demo', says: 'shows it' },
      { command: 'gleitzeit demo -o json', says: 'ends with its figures' },
    ],
    output: 'demo',
    exits: [],
    load: async () => (await import('../commands/demo.ts')).demo,
  },
  {
    name: 'demo-life',
    summary: 'one life of the engine in the demo',
    arguments: [
      { name: 'folder', description: 'where its store is' },
      { name: 'life', description: 'the first one kills itself' },
    ],
    examples: [],
    output: null,
    exits: [],
    hidden: true,
    load: async () => (await import('../commands/demo-life.ts')).demoLife,
  },
];
