import type { Chapters, Groups } from '../help.ts';

export const groups: Groups = {
  agent: 'agents: who tasks can name',
  broker: 'what carries calls from engines to bridges',
  config: 'what the configuration says',
  db: 'the store',
  league: 'agents of any language that compete',
  protocol: 'protocols: what agents can be asked',
  provider: 'providers: who answers',
  queue: 'what waits to be started',
  token: 'keys for callers of the API',
  zone: 'the connection between zones',
};

/** The order in which the program tells of its commands. */
export const chapters: Chapters = [
  { title: 'Begin', commands: ['start', 'init', 'dev', 'demo'] },
  { title: 'Write workflows', commands: ['validate', 'plan', 'graph', 'schema'] },
  { title: 'Run them', commands: ['run', 'submit', 'watch'] },
  {
    title: 'Look',
    commands: ['list', 'status', 'result', 'events', 'queue', 'protocol', 'provider', 'agent'],
  },
  { title: 'Steer', commands: ['cancel', 'pause', 'resume', 'retry', 'respond'] },
  {
    title: 'Operate',
    commands: [
      'serve',
      'bridge',
      'broker',
      'zone',
      'league',
      'db',
      'doctor',
      'config',
      'token',
      'api',
      'completion',
    ],
  },
];
