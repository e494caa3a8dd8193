import { priorities } from '../../core/priority.ts';
import type { CommandSpec } from '../spec.ts';
import { inputOptions, keyOption } from './shared-options.ts';

const asking = ['unreachable', 'access', 'timeout', 'conflict', 'findings', 'not_found'] as const;
const anId = '0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40';
const id = { name: 'id', description: 'of a run or a task', complete: 'any-id' } as const;
const runId = { name: 'id', description: 'of a run', complete: 'run' } as const;

/** Commands that send and steer work. */
export const steerSpecs: readonly CommandSpec[] = [
  {
    name: 'submit',
    summary: 'accept a workflow or a single task, without waiting for it',
    description: 'Once it is answered it is in the store: whatever happens, it is not lost.',
    arguments: [
      {
        name: 'workflow',
        description: 'a file, - for standard input, or the name of a workflow that was defined',
        required: false,
        complete: 'file',
      },
    ],
    options: [
      { flags: '--protocol <name>', description: 'of a single task', complete: 'protocol' },
      { flags: '--method <name>', description: 'of its protocol', complete: 'method' },
      {
        flags: '--params <json>',
        description: 'of the method: JSON or YAML, @file, or - for standard input',
      },
      { flags: '--priority <priority>', description: 'of a single task', choices: priorities },
      { flags: '--name <name>', description: 'of a single task, for people' },
      ...inputOptions,
      keyOption,
    ],
    examples: [
      { command: 'gleitzeit submit report.yaml --input topic=bees', says: 'a run of a workflow file' },
      {
        command: `gleitzeit submit --protocol web-search/v1 --method search --params '{"query":"bees"}'`,
        says: 'a single task',
      },
      {
        command: 'gleitzeit submit report.yaml --key report-2026-01-05',
        says: 'started once, however often it is sent',
      },
    ],
    output: 'submitted',
    exits: asking,
    load: async () => (await import('../commands/submit.ts')).submit,
  },
  {
    name: 'cancel',
    summary: 'end a run with everything that is open in it, or one task',
    arguments: [id],
    options: [{ flags: '--reason <text>', description: 'kept with it and told in its events' }],
    examples: [
      { command: `gleitzeit cancel ${anId}`, says: 'calls under way are told to stop' },
      {
        command: 'gleitzeit list --status running -o name | xargs -n1 gleitzeit cancel',
        says: 'everything that runs',
      },
    ],
    output: 'cancelled',
    exits: asking,
    load: async () => (await import('../commands/cancel.ts')).cancel,
  },
  {
    name: 'pause',
    summary: 'start nothing more of a run; calls under way go on',
    arguments: [runId],
    examples: [{ command: `gleitzeit pause ${anId}`, says: 'until gleitzeit resume' }],
    output: 'run_status',
    exits: asking,
    load: async () => (await import('../commands/pause.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'let a paused run go on',
    arguments: [runId],
    examples: [{ command: `gleitzeit resume ${anId}`, says: 'from where it was' }],
    output: 'run_status',
    exits: asking,
    load: async () => (await import('../commands/pause.ts')).resume,
  },
  {
    name: 'retry',
    summary: 'a task once more in its run, or a run anew from where it failed',
    description:
      'A task that failed or was cancelled is tried again where it is, and those that were skipped because of it wait for ' +
      'it again. A run is started anew: results from before the task it goes on from are taken over, and --input replaces ' +
      'its input.',
    arguments: [id],
    options: [
      {
        flags: '--from <task>',
        description: 'of a run: the short id of the task to go on from; the first failed one without it',
        complete: 'short-id',
      },
      ...inputOptions,
      keyOption,
    ],
    examples: [
      { command: `gleitzeit retry ${anId}`, says: 'from the first task that failed' },
      {
        command: `gleitzeit retry ${anId} --from summarize --input tone=dry`,
        says: 'from a task on, with another input',
      },
    ],
    output: 'retried',
    exits: asking,
    load: async () => (await import('../commands/retry.ts')).retry,
  },
  {
    name: 'respond',
    summary: 'answer what a task asks, so that it goes on',
    description:
      'gleitzeit status shows what a task asks. The first answer counts; the same one again changes nothing. Where the id ' +
      'is that of a run, the one task of it is answered that asks something.',
    arguments: [
      id,
      { name: 'answer', description: 'as text; --json and --input for anything else', required: false },
    ],
    options: [
      { flags: '--json <json>', description: 'the answer: JSON or YAML, @file, or - for standard input' },
      ...inputOptions,
    ],
    examples: [
      { command: `gleitzeit respond ${anId} "the second one"`, says: 'as text' },
      { command: `gleitzeit respond ${anId} --input choice=2`, says: 'as an object' },
      { command: `gleitzeit respond ${anId} --json '["a","b"]'`, says: 'as any JSON' },
    ],
    output: 'responded',
    exits: asking,
    load: async () => (await import('../commands/respond.ts')).respond,
  },
];
