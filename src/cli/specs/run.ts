import type { ExitName } from '../exits.ts';
import type { CommandSpec, OptionSpec } from '../spec.ts';
import { placeSpecs } from './place.ts';
import { inputOptions } from './shared-options.ts';

const progress: OptionSpec = {
  flags: '--progress <kind>',
  description:
    'how it is shown, on stderr: a tree that is drawn over itself, plain lines, json lines, or nothing',
  choices: ['auto', 'tree', 'plain', 'json', 'none'],
  default: 'auto',
};

const reaching: readonly ExitName[] = ['unreachable', 'access', 'timeout', 'not_found', 'conflict'];
const endings: readonly ExitName[] = ['run_failed', 'run_cancelled', 'run_waiting', 'interrupted'];

/** Commands that run something here, and those that care for the place it runs in. */
export const runSpecs: readonly CommandSpec[] = [
  {
    name: 'run',
    summary: 'start a workflow and show how it goes on, with a server or without one',
    description:
      'Without a server the engine runs in this command, on the local store; where another command or server holds that store, the run goes ' +
      'there by itself. Ctrl-C leaves the run alone and says how to come back to it; a second one right after it cancels the run. ' +
      'SIGTERM leaves like one Ctrl-C. A terminal that is closed (SIGHUP) ends the command at once, unless nohup started it. After that or a ' +
      'crash --resume goes on with what was left unfinished; nothing that has finished runs again. A server that does not say within a few ' +
      'seconds what came of a run that has ended counts as one that cannot be reached (3): the run is not lost, and result asks again.',
    arguments: [
      {
        name: 'workflow',
        description: 'a file, - for standard input, or the name of a workflow that was defined',
        complete: 'file',
      },
    ],
    options: [
      ...inputOptions,
      {
        flags: '--resume',
        description: 'go on with the newest unfinished run of the same definition and input',
      },
      {
        flags: '--key <key>',
        description: 'an idempotency key: given again with the same workflow it answers with the same run',
      },
      { flags: '--async', description: 'start it and come back at once' },
      progress,
    ],
    examples: [
      { command: 'gleitzeit run hello.gleitzeit.yaml', says: 'run a file' },
      {
        command: 'gleitzeit run hello.gleitzeit.yaml --input name=Ada --input limit=3',
        says: 'with an input',
      },
      { command: 'gleitzeit run report.gleitzeit.yaml --resume', says: 'go on after a crash' },
      {
        command: 'gleitzeit run hello -o json > result.json',
        says: 'a workflow that was defined, its results for a program',
      },
    ],
    output: 'run',
    exits: [...reaching, 'findings', ...endings],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'watch',
    summary: 'show what happened to a run or task and what happens next, until it has ended',
    description: 'Without a server this also works on it, like run.',
    arguments: [
      {
        name: 'id',
        description: 'of a run or task, or the first eight characters of one',
        complete: 'any-id',
      },
    ],
    options: [progress],
    examples: [
      {
        command: 'gleitzeit watch 0197c2a4-9a5b-7c08-a0b3-8d7c6b5a4f30',
        says: 'from its beginning to its end',
      },
    ],
    output: 'watch',
    exits: [...reaching, 'findings', ...endings],
    load: async () => (await import('../commands/watch.ts')).watch,
  },
  {
    name: 'dev',
    summary: 'the server for a laptop: workflow files and configuration are taken over as they change',
    description:
      'Files named *.gleitzeit.yaml, .yml or .json in this folder, those of the configuration (workflows) and those given are defined under ' +
      'their names whenever they change, a batch also when files come into its folder or go. A mistake is told with its place, and the ' +
      'version before stays. Of two files with the same name the second is refused until the name is free.',
    arguments: [
      {
        name: 'files',
        description: 'further workflow files, or folders of them',
        required: false,
        variadic: true,
        complete: 'file',
      },
    ],
    options: [
      {
        flags: '--faults <spec>',
        description:
          'make faults on the way to providers, by rates: latency, jitter, slow_bytes, cut, half_open, reset, wrong_answers; ' +
          'seed=7 draws the same ones each time; left alone, and named at the start, are those whose calls a bridge makes and ' +
          'zones at AgentCore',
      },
    ],
    examples: [
      { command: 'gleitzeit dev', says: 'on 127.0.0.1:8000, never on a database that DATABASE_URL names' },
      { command: 'gleitzeit dev flows/', says: 'with the workflow files of another folder' },
      {
        command: 'gleitzeit dev --faults latency=200ms,cut=5%,reset=1%',
        says: 'with every answer late, and some of them lost',
      },
    ],
    output: null,
    exits: ['unreachable', 'not_found', 'findings', 'conflict', 'interrupted'],
    load: async () => (await import('../commands/dev.ts')).dev,
  },
  ...placeSpecs,
];
