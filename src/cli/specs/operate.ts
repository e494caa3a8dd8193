import type { CommandSpec } from '../spec.ts';

const shells = ['bash', 'zsh', 'fish', 'pwsh'];

export const operateSpecs: readonly CommandSpec[] = [
  {
    name: 'api',
    summary: 'call any method of the API as it is',
    arguments: [
      { name: 'method', description: 'such as queue.stats; rpc.discover tells of all', complete: 'method' },
      { name: 'params', description: 'JSON or YAML, @file, or - for standard input', required: false },
    ],
    options: [{ flags: '--stream', description: 'with event.subscribe: events as they come, a line each' }],
    examples: [
      { command: 'gleitzeit api system.info', says: 'what answers, and as whom you are known' },
      { command: `gleitzeit api task.list '{"status":"failed","limit":5}' -o json`, says: 'with params' },
      {
        command: `gleitzeit api event.subscribe '{"cursor":0}' --stream`,
        says: 'everything that happened and happens',
      },
    ],
    output: 'api',
    exits: ['unreachable', 'access', 'timeout', 'not_found', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/api.ts')).api,
  },
  {
    name: 'config show',
    summary: 'every value of the configuration and where it came from',
    description: 'Secrets are never shown.',
    arguments: [
      { name: 'beginning', description: 'only keys that begin so: server, store.path', required: false },
    ],
    examples: [
      { command: 'gleitzeit config show', says: 'flag, variable, file and line, or default' },
      { command: 'gleitzeit config show store', says: 'only the store' },
    ],
    output: 'config',
    exits: ['not_found', 'findings'],
    load: async () => (await import('../commands/config-show.ts')).configShow,
  },
  {
    name: 'completion',
    summary: 'the script that lets a shell complete commands, options, ids and files',
    arguments: [{ name: 'shell', description: shells.join(', '), choices: shells }],
    examples: [
      { command: 'source <(gleitzeit completion bash)', says: 'in ~/.bashrc' },
      { command: 'source <(gleitzeit completion zsh)', says: 'in ~/.zshrc' },
      { command: 'gleitzeit completion fish > ~/.config/fish/completions/gleitzeit.fish', says: 'for fish' },
      { command: 'gleitzeit completion pwsh | Out-String | Invoke-Expression', says: 'in $PROFILE' },
    ],
    output: 'completion',
    exits: [],
    load: async () => (await import('../commands/completion.ts')).completion,
  },
  {
    name: '__complete',
    summary: 'what fits at the end of a command line',
    arguments: [
      { name: 'words', description: 'of the command line so far', required: false, variadic: true },
    ],
    examples: [],
    output: null,
    exits: [],
    hidden: true,
    load: async () => (await import('../commands/complete.ts')).complete,
  },
];
