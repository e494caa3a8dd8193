import type { CommandSpec, OptionSpec } from '../spec.ts';

const seed: OptionSpec = {
  flags: '--seed <text>',
  description: 'what schedule, draws and chance follow from: the same seed, the same league',
};
const gameFile: OptionSpec = {
  flags: '--game-file <file>',
  description: 'a game of your own: a module that exports its rules',
  repeat: true,
  complete: 'file',
};
const timeouts: OptionSpec = {
  flags: '--timeouts <file>',
  description: 'timeout_policy.yaml: how long who is waited for, and how often',
  complete: 'file',
};
const ca: OptionSpec = {
  flags: '--ca <file>',
  description: 'the authority of the certificates of the league, in PEM',
  complete: 'file',
};
const manager: OptionSpec = {
  flags: '--manager <url>',
  description: 'where the league manager is',
  default: 'http://127.0.0.1:9300',
  env: 'GLEITZEIT_LEAGUE_MANAGER',
};
const adminToken: OptionSpec = {
  flags: '--admin-token-file <file>',
  description:
    'holds what the administrator proves itself by; the variable GLEITZEIT_LEAGUE_ADMIN_TOKEN is it',
  complete: 'file',
};

/** Where a process of the league listens. */
const listening = (port: string): readonly OptionSpec[] => [
  {
    flags: '--host <address>',
    description: 'another than loopback needs a certificate',
    default: '127.0.0.1',
  },
  { flags: '--port <number>', description: '0 is any that is free', default: port },
  { flags: '--tls-cert <file>', description: 'the certificate, in PEM', complete: 'file' },
  { flags: '--tls-key <file>', description: 'its private key, in PEM', complete: 'file' },
  ca,
];

const agent: readonly OptionSpec[] = [
  manager,
  { flags: '--id <id>', description: 'its name in the league: letters, digits, _ and -', required: true },
  ...listening('0'),
  { flags: '--public-url <url>', description: 'how others reach it, where that is not where it listens' },
  {
    flags: '--state <file>',
    description: 'keeps its token, so that it can go on after a restart',
    complete: 'file',
  },
  { ...seed, default: '1' },
  gameFile,
  timeouts,
];

export const leagueSpecs: readonly CommandSpec[] = [
  {
    name: 'league run',
    summary: 'a whole league on this machine: manager, referees and players, each a process of its own',
    description:
      'Shows the table while it changes. A process that ends is started again and goes on where it was; so does the league, when it is ' +
      'run again with the same --folder.',
    options: [
      { flags: '--players <count>', description: 'how many', default: '4' },
      { flags: '--referees <count>', description: 'how many', default: '2' },
      { flags: '--game <name>', description: 'what is played', default: 'tic_tac_toe' },
      seed,
      {
        flags: '--strategy <names>',
        description: 'how players play, one after another: random, rules',
        default: 'random',
        words: ['random', 'rules'],
      },
      {
        flags: '--player-program <command>',
        description: 'a player in another language, in the place of one of ours',
        repeat: true,
      },
      gameFile,
      timeouts,
      { flags: '--port <number>', description: 'of the manager; 0 is any that is free', default: '0' },
      {
        flags: '--folder <folder>',
        description: 'where the league is kept; a new one below .gleitzeit/league unless given',
        complete: 'folder',
      },
    ],
    examples: [
      { command: 'gleitzeit league run', says: 'four players, two referees, tic-tac-toe' },
      {
        command:
          "gleitzeit league run --players 3 --game even_odd --seed 7 --player-program 'python3 player.py'",
        says: 'one of the three in Python',
      },
      { command: 'gleitzeit league run --folder spring -o json', says: 'kept in spring, for programs' },
    ],
    output: 'league_run',
    exits: ['timeout', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/league-run.ts')).leagueRun,
  },
  {
    name: 'league manager',
    summary: 'the league itself: who plays whom, what came of it, who leads',
    description: 'Killed at any moment it goes on where it was.',
    options: [
      { flags: '--league-id <id>', description: 'its name', default: 'league' },
      { flags: '--game <name>', description: 'what is played', default: 'tic_tac_toe' },
      { ...seed, default: '1' },
      ...listening('9300'),
      {
        flags: '--folder <folder>',
        description: 'where its store and audit.jsonl are',
        default: '.gleitzeit/league',
        complete: 'folder',
      },
      {
        flags: '--games <file>',
        description: 'how games count, as YAML: tic_tac_toe: { win: 2, draw: 1, loss: 0 }',
        complete: 'file',
      },
      {
        flags: '--agent-host <name>',
        description: 'a host besides this machine at which agents may be',
        repeat: true,
      },
      timeouts,
      adminToken,
    ],
    examples: [
      {
        command: 'GLEITZEIT_LEAGUE_ADMIN_TOKEN=change-me gleitzeit league manager --game even_odd',
        says: 'on 127.0.0.1:9300',
      },
      {
        command:
          'gleitzeit league manager --host 10.0.0.5 --tls-cert cert.pem --tls-key key.pem --admin-token-file admin.token',
        says: 'for agents on other machines',
      },
    ],
    output: null,
    exits: ['conflict', 'interrupted'],
    load: async () => (await import('../commands/league-manager.ts')).leagueManager,
  },
  {
    name: 'league start',
    summary: 'end the registration and play',
    options: [manager, ca, adminToken],
    examples: [
      {
        command: 'gleitzeit league start --admin-token-file admin.token',
        says: 'once everybody is there',
      },
    ],
    output: 'league_started',
    exits: ['unreachable', 'access', 'conflict'],
    load: async () => (await import('../commands/league-look.ts')).leagueStart,
  },
  {
    name: 'league referee',
    summary: 'a referee: plays the matches that it is assigned, one at a time',
    options: agent,
    examples: [
      { command: 'gleitzeit league referee --id R1 --state R1.json', says: 'of the league on this machine' },
    ],
    output: null,
    exits: ['conflict', 'interrupted'],
    load: async () => (await import('../commands/league-agent.ts')).leagueReferee,
  },
  {
    name: 'league player',
    summary: 'a player: joins the matches that it is invited to, and moves',
    description:
      'llm asks a language model of llm/v1, task any method (--call), through the engine and the providers of the configuration; an ' +
      'answer that is no choice is replaced by chance.',
    options: [
      ...agent,
      {
        flags: '--strategy <name>',
        description: 'how it plays',
        default: 'random',
        choices: ['random', 'rules', 'llm', 'task'],
      },
      { flags: '--model <name>', description: 'for --strategy llm' },
      { flags: '--call <protocol.method>', description: 'for --strategy task: moves/v1.choose' },
    ],
    examples: [
      { command: 'gleitzeit league player --id P1 --strategy rules', says: 'of the league on this machine' },
      {
        command: 'gleitzeit league player --id P2 --strategy llm --model llama3.2',
        says: 'by a language model',
      },
    ],
    output: null,
    exits: ['conflict', 'interrupted'],
    load: async () => (await import('../commands/league-agent.ts')).leaguePlayer,
  },
  {
    name: 'league standings',
    summary: 'who leads, and how far the league is',
    options: [manager, ca],
    examples: [{ command: 'gleitzeit league standings', says: 'of the league on this machine' }],
    output: 'league_standings',
    exits: ['unreachable'],
    load: async () => (await import('../commands/league-look.ts')).leagueStandings,
  },
  {
    name: 'league audit',
    summary: 'whether an audit log is as it was written',
    arguments: [{ name: 'file', description: 'audit.jsonl', complete: 'file' }],
    examples: [{ command: 'gleitzeit league audit audit.jsonl', says: 'finds one changed byte' }],
    output: 'league_audited',
    exits: ['not_found', 'findings'],
    load: async () => (await import('../commands/league-look.ts')).leagueAudit,
  },
  {
    name: 'league replay',
    summary: 'build a league anew from its audit log, and compare',
    description:
      'Schedule, points and tables are made again and held against what the log says was decided then.',
    arguments: [{ name: 'file', description: 'audit.jsonl', complete: 'file' }],
    examples: [
      { command: 'gleitzeit league replay audit.jsonl -o json', says: 'its schedule, results and standings' },
    ],
    output: 'league_replayed',
    exits: ['not_found', 'findings'],
    load: async () => (await import('../commands/league-look.ts')).leagueReplay,
  },
];
