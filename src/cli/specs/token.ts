import { roles } from '../../api/roles.ts';
import type { CommandSpec } from '../spec.ts';

export const tokenSpecs: readonly CommandSpec[] = [
  {
    name: 'token create',
    summary: 'print a new key once, and the entry the configuration keeps of it',
    options: [
      { flags: '--role <role>', description: 'what it allows', choices: roles, required: true },
      { flags: '--name <name>', description: 'who it belongs to', default: 'default' },
    ],
    examples: [
      {
        command: 'gleitzeit token create --role operator --name ci',
        says: 'a key that may send and steer work',
      },
    ],
    output: 'token_created',
    exits: [],
    load: async () => (await import('../commands/token-create.ts')).createToken,
  },
  {
    name: 'token list',
    summary: 'the keys that the configuration knows, by name and role',
    examples: [{ command: 'gleitzeit token list', says: 'with the line each stands on' }],
    output: 'token_list',
    exits: ['not_found', 'findings'],
    load: async () => (await import('../commands/token-list.ts')).tokenList,
  },
  {
    name: 'token revoke',
    summary: 'take a key out of the configuration file',
    description:
      'Comments and everything else in the file stay as they stand. A server that runs with it reads it again by itself: it ' +
      'refuses the key from then on, and ends what was opened with it.',
    arguments: [{ name: 'name', description: 'of the key, as token list shows it' }],
    options: [
      {
        flags: '--force',
        description: 'take out the last key, too: a server that starts without keys asks nobody for one',
      },
    ],
    examples: [{ command: 'gleitzeit token revoke ci', says: 'whoever has it is refused from now on' }],
    output: 'token_revoked',
    exits: ['findings', 'not_found', 'conflict'],
    load: async () => (await import('../commands/token-revoke.ts')).tokenRevoke,
  },
];
