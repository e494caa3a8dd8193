import type { OptionSpec } from './spec.ts';

/** What every command takes, before or after its name. */
export const commonOptions: readonly OptionSpec[] = [
  {
    flags: '-o, --output <format>',
    description: 'how data is printed: table, json, jsonl, yaml, name, none',
    default: 'table',
  },
  {
    flags: '--fields <names>',
    description:
      'only these fields, separated by commas, by their names in -o json: name,status,error.message',
  },
  {
    flags: '--server <url>',
    description: 'the server to talk to; without it whoever holds the local store, or the store itself',
    env: 'GLEITZEIT_SERVER_URL',
  },
  {
    flags: '--key-file <file>',
    description: 'a file that holds the key for the server; the variable GLEITZEIT_KEY holds the key itself',
    env: 'GLEITZEIT_KEY_FILE',
    complete: 'file',
  },
  {
    flags: '-c, --config <file>',
    description: 'configuration, YAML or JSON; without it the nearest gleitzeit.yaml here or above',
    env: 'GLEITZEIT_CONFIG',
    complete: 'file',
  },
  {
    flags: '--timeout <time>',
    description: 'how long the command may take: 30s, 2m',
    env: 'GLEITZEIT_TIMEOUT',
  },
  {
    flags: '--color <when>',
    description: 'auto, always or never; NO_COLOR and FORCE_COLOR are understood',
    choices: ['auto', 'always', 'never'],
  },
  { flags: '--no-input', description: 'never ask anything' },
  { flags: '--debug', description: 'also say, on stderr, what is done and where errors come from' },
];
