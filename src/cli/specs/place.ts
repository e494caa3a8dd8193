import type { CommandSpec } from '../spec.ts';

/** Commands that care for the place things run in: its files, its store, its health. */
export const placeSpecs: readonly CommandSpec[] = [
  {
    name: 'init',
    summary: 'write the files of a project that runs as it is',
    description:
      'What is there stays as it is. Templates: hello (one agent), agents (two that work together), pipeline (side by side, with retries).',
    arguments: [
      { name: 'folder', description: 'this one unless given', required: false, complete: 'folder' },
    ],
    options: [
      {
        flags: '--template <name>',
        description: 'what to begin with',
        choices: ['hello', 'agents', 'pipeline'],
        default: 'hello',
      },
    ],
    examples: [
      { command: 'gleitzeit init', says: 'in this folder' },
      { command: 'gleitzeit init reports --template pipeline', says: 'in a folder of its own' },
    ],
    output: 'init',
    exits: [],
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    name: 'doctor',
    summary: 'find what is wrong and say what to do about it',
    description: 'Ends with 1 where there is a problem; warnings are none. Nothing is changed.',
    arguments: [
      {
        name: 'checks',
        description: 'only these',
        required: false,
        variadic: true,
        choices: [
          'node',
          'config',
          'store',
          'disk',
          'clock',
          'port',
          'providers',
          'keys',
          'broker',
          'server',
        ],
      },
    ],
    examples: [
      { command: 'gleitzeit doctor', says: 'look at everything' },
      { command: 'gleitzeit doctor store disk -o json', says: 'two checks, for a program' },
    ],
    output: 'doctor',
    exits: [],
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'db status',
    summary: 'where the store is, who holds it, and whether its tables are up to date',
    examples: [
      { command: 'gleitzeit db status', says: 'the store of the configuration, or of DATABASE_URL' },
    ],
    output: 'db_status',
    exits: ['unreachable', 'not_found', 'findings'],
    load: async () => (await import('../commands/db.ts')).status,
  },
  {
    name: 'db migrate',
    summary: 'bring the tables of the store to the newest version',
    description: 'A start does the same. A local store must not be in use meanwhile.',
    options: [{ flags: '--dry-run', description: 'only say what would be applied' }],
    examples: [{ command: 'gleitzeit db migrate --dry-run', says: 'what is to be done' }],
    output: 'db_migrated',
    exits: ['unreachable', 'not_found', 'findings', 'conflict'],
    load: async () => (await import('../commands/db.ts')).migrate,
  },
  {
    name: 'db backup',
    summary: 'copy the local store into a file, while it is in use',
    description:
      'The copy is the store as it is at one moment. A Postgres store is backed up with pg_dump; the error says how.',
    arguments: [
      { name: 'file', description: 'to write; one that is there is not overwritten', complete: 'file' },
    ],
    examples: [{ command: 'gleitzeit db backup store-2026-01-05.db', says: 'beside a server that runs' }],
    output: 'db_backup',
    exits: ['unreachable', 'not_found', 'findings', 'conflict'],
    load: async () => (await import('../commands/db.ts')).backup,
  },
];
