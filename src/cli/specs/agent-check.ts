import type { CommandSpec } from '../spec.ts';

export const agentCheckSpecs: readonly CommandSpec[] = [
  {
    name: 'agent check',
    summary: 'find out whether an agent keeps to its protocols, and what to do where it does not',
    description:
      'Talks to the agent as callers do, well and badly: its card, A2A 0.3, A2A 1.0 and simple-a2a, whatever it speaks. It is given some work: three messages ' +
      'for each version of A2A, four of simple-a2a. Each finding says what was sent, what came, what was expected, where that is written, and what to do. ' +
      'Ends with 0 where there is nothing but notes, and with 1 otherwise, so that it can stand before a roll-out; --fail-on error lets warnings pass.',
    arguments: [
      {
        name: 'agent',
        description: 'its address, or the name of one that is registered',
        required: false,
      },
    ],
    options: [
      { flags: '--all', description: 'every agent that is registered' },
      {
        flags: '--protocol <name>',
        description: 'what an agent at an address is to speak; auto for what it turns out to speak',
        choices: ['auto', 'a2a', 'jsonrpc-2.0', 'simple-a2a'],
        default: 'auto',
      },
      {
        flags: '--fail-on <level>',
        description: 'what it ends with 1 for: warnings and errors, or errors alone',
        choices: ['warning', 'error'],
        default: 'warning',
      },
      { flags: '--text <text>', description: 'what it is given to work on' },
      { flags: '--answer-timeout <time>', description: 'how long one answer may take', default: '10s' },
      {
        flags: '--token-env <variable>',
        description: 'show an agent at an address the bearer token in this variable',
      },
      {
        flags: '--header-env <variable>',
        description: 'show it this header, `Name: value`, out of this variable',
        repeat: true,
      },
    ],
    examples: [
      { command: 'gleitzeit agent check http://127.0.0.1:9100/', says: 'everything that it speaks' },
      { command: 'gleitzeit agent check http://127.0.0.1:9100/ --protocol simple-a2a', says: 'only this' },
      {
        command: 'gleitzeit agent check Writer',
        says: 'one that is registered, with the credentials of its entry',
      },
      { command: 'gleitzeit agent check --all -o json', says: 'all of them, before a roll-out' },
    ],
    output: 'agent_checked',
    exits: ['unreachable', 'access', 'timeout', 'not_found', 'conflict', 'findings', 'interrupted'],
    load: async () => (await import('../commands/agent-check.ts')).agentCheck,
  },
];
