/** What a room may import. `types` names rooms of which only types may be seen. */
export type Walls = { readonly may: readonly string[] | 'everything'; readonly types?: readonly string[] };

/** The rooms are the folders and the single files below src/. ARCHITECTURE.md tells why the walls stand where they do. */
export const rooms: Readonly<Record<string, Walls>> = {
  core: { may: [] },
  type: { may: [] },
  api: { may: ['core', 'type'] },
  rpc: { may: ['core'] },
  store: { may: ['core'] },
  engine: { may: ['core'] },
  registry: { may: ['core'] },
  router: { may: ['core'] },
  telemetry: { may: ['core'] },
  faults: { may: ['core', 'rpc'] },
  check: { may: ['core', 'rpc'] },
  dialects: { may: ['core', 'rpc', 'type'] },
  embedded: { may: ['core', 'engine', 'registry', 'dialects'], types: ['router'] },
  files: { may: ['core', 'api'] },
  server: { may: ['core', 'rpc', 'api', 'engine', 'registry', 'router'] },
  bridge: { may: ['core', 'rpc', 'engine', 'registry', 'router', 'type'] },
  zone: { may: ['core', 'rpc', 'api', 'engine', 'registry', 'type'] },
  league: { may: ['core', 'rpc', 'api', 'engine', 'registry', 'type'] },
  sdk: { may: ['rpc'], types: ['api', 'core'] },
  cli: { may: ['core', 'sdk', 'api', 'files', 'config', 'type'] },
  config: { may: ['core', 'files', 'api', 'type'] },
  main: { may: 'everything' },
  index: { may: 'everything' },
};

/** Commands of the cli that start something, and may therefore reach the composition root. */
export const startingCommands = [
  'main',
  'connect',
  'settings',
  'workflow-file',
  'validate',
  'schema',
  'start',
  'demo',
  'demo-life',
  'demo-workflow',
  'serve',
  'dev',
  'token-create',
  'run',
  'bridge',
  'zone',
  'league-run',
  'league-manager',
  'league-agent',
  'league-look',
  'mcp',
  'db',
  'doctor',
  'protocol-import',
  'protocol-docs',
  'agent-check',
  'init',
];

/** Heavy drivers, and the only folders that may name each. */
export const drivers: Readonly<Record<string, string | readonly string[]>> = {
  pg: 'src/store/postgres/',
  'node:sqlite': 'src/store/sqlite/',
  '@grpc/grpc-js': 'src/rpc/grpc/',
  protobufjs: 'src/rpc/grpc/',
  '@platformatic/kafka': 'src/bridge/kafka/',
  '@redis/client': ['src/bridge/redis/', 'src/store/cache/'],
  amqplib: 'src/bridge/rabbitmq/',
  '@aws-sdk': 'src/zone/',
};

/** Rooms that run in a simulated world: everything that changes from run to run is handed in. */
export const pureRooms = ['src/core/', 'src/engine/'];

/** Node's own modules that compute and do nothing else. The core takes none at all. */
export const harmlessModules = ['node:events', 'node:crypto', 'node:assert', 'node:util', 'node:buffer'];

export const longestFile = 300;
export const longFile = 200;
