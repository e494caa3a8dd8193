import type { CommandSpec, OptionSpec } from '../spec.ts';
import { pagingOptions } from './shared-options.ts';

const asking = ['unreachable', 'access', 'timeout', 'not_found', 'conflict', 'findings'] as const;
const named = { name: 'name', description: 'of the agent', complete: 'agent' } as const;

/** What can be said of an agent besides its name and address. */
const entryOptions: readonly OptionSpec[] = [
  {
    flags: '--protocol <name>',
    description: 'the dialect it speaks: simple-a2a, jsonrpc-2.0, auto, or a type of provider that has a url',
  },
  { flags: '--description <text>', description: 'what it is for' },
  {
    flags: '--implements <protocol>',
    description: 'a protocol whose calls it takes besides tasks that name it: web-search/v1',
    repeat: true,
    complete: 'protocol',
  },
  { flags: '--call-timeout <time>', description: 'how long a call may take: 30s' },
  { flags: '--protocol-config <json>', description: 'what its dialect has to be told; @file reads a file' },
  {
    flags: '--limits <json>',
    description: 'what it gets at most: \'{"concurrency":4,"rate":"10/s"}\'; @file reads a file',
  },
  {
    flags: '--auth <json>',
    description:
      'what it is shown of who calls: \'{"type":"basic",…}\'; @file reads a file, - standard input, so that no secret stands in the history of the shell',
  },
  { flags: '--token-env <variable>', description: 'a bearer token, out of this variable' },
  {
    flags: '--entry <file>',
    description: 'the rest of its entry as YAML or JSON; what else is given goes before it',
    complete: 'file',
  },
];

/** Agents by name. */
export const agentSpecs: readonly CommandSpec[] = [
  {
    name: 'agent list',
    summary: 'the agents that tasks can name',
    options: [
      { flags: '--protocol <name>', description: 'only those that speak this dialect' },
      ...pagingOptions,
    ],
    examples: [{ command: 'gleitzeit agent list', says: 'with their dialects and addresses' }],
    output: 'agent_list',
    exits: asking,
    load: async () => (await import('../commands/agent.ts')).agentList,
  },
  {
    name: 'agent show',
    summary: 'the entry of an agent, without its secrets',
    arguments: [named],
    examples: [{ command: 'gleitzeit agent show Writer -o yaml', says: 'as it could be written' }],
    output: 'agent',
    exits: asking,
    load: async () => (await import('../commands/agent.ts')).agentShow,
  },
  {
    name: 'agent add',
    summary: 'register an agent, for every engine of the store',
    arguments: [{ name: 'name', description: 'what tasks will call it by' }],
    options: [{ flags: '--url <url>', description: 'where it is called' }, ...entryOptions],
    examples: [
      {
        command: 'gleitzeit agent add Writer --url http://127.0.0.1:8001 --protocol auto',
        says: 'by its card',
      },
      {
        command: 'gleitzeit agent add Writer --url http://127.0.0.1:8001 --token-env WRITER_TOKEN',
        says: 'with a token, which is sealed before it is stored',
      },
    ],
    output: 'agent',
    exits: asking,
    load: async () => (await import('../commands/agent-change.ts')).agentAdd,
  },
  {
    name: 'agent update',
    summary: 'change an agent while work goes on',
    description:
      'Only what is given changes. In an entry null stands for the default, and *** for the secret that is there.',
    arguments: [named],
    options: [
      { flags: '--url <url>', description: 'where it is called' },
      ...entryOptions,
      { flags: '--expect <version>', description: 'only if it is still at this version' },
    ],
    examples: [
      {
        command: 'gleitzeit agent update Writer --protocol jsonrpc-2.0',
        says: 'calls that run are finished in the dialect before',
      },
    ],
    output: 'agent',
    exits: asking,
    load: async () => (await import('../commands/agent-change.ts')).agentUpdate,
  },
  {
    name: 'agent remove',
    summary: 'remove an agent',
    description: 'Calls that run go on; tasks that name it wait until there is one of that name again.',
    arguments: [named],
    examples: [{ command: 'gleitzeit agent remove Writer', says: 'on every engine of the store' }],
    output: 'agent_removed',
    exits: asking,
    load: async () => (await import('../commands/agent-change.ts')).agentRemove,
  },
  {
    name: 'agent ping',
    summary: 'ask whether an agent is there',
    description: 'By GET of its address, or of its card where it speaks A2A. No task is sent.',
    arguments: [named],
    examples: [{ command: 'gleitzeit agent ping Writer', says: 'exit 1 where it does not answer' }],
    output: 'agent_ping',
    exits: asking,
    load: async () => (await import('../commands/agent.ts')).agentPing,
  },
  {
    name: 'agent discover',
    summary: 'look for the card of an agent, and say how it could be registered',
    arguments: [{ name: 'url', description: 'where the agent is' }],
    options: [{ flags: '--add <name>', description: 'register it under this name' }],
    examples: [
      { command: 'gleitzeit agent discover http://127.0.0.1:8001', says: 'its name, skills and dialect' },
      { command: 'gleitzeit agent discover http://127.0.0.1:8001 --add Writer', says: 'and adds it' },
    ],
    output: 'agent_discovered',
    exits: asking,
    load: async () => (await import('../commands/agent.ts')).agentDiscover,
  },
];
