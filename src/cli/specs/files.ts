import type { CommandSpec } from '../spec.ts';
import { inputOptions } from './shared-options.ts';

/** Commands that read workflow files and run nothing. */
export const fileSpecs: readonly CommandSpec[] = [
  {
    name: 'validate',
    summary: 'say everything that is wrong with workflow files',
    description:
      'Each mistake is shown with line and column, what was found, what was expected and what to write instead. ' +
      'Protocols come from the configuration beside the file or above it, or from the server: with them, calls, params ' +
      'and references into results are checked too. Words of older generations are notes.',
    arguments: [
      { name: 'file', description: 'workflow files; - is standard input', variadic: true, complete: 'file' },
    ],
    options: [{ flags: '--strict', description: 'notes count as mistakes' }],
    examples: [
      { command: 'gleitzeit validate workflow.yaml', says: 'check one file' },
      {
        command: 'gleitzeit validate workflows/*.yaml -o sarif > findings.sarif',
        says: 'for a code host to show',
      },
    ],
    output: 'validate',
    formats: ['sarif'],
    exits: ['not_found', 'findings', 'unreachable', 'access', 'timeout'],
    load: async () => (await import('../commands/validate.ts')).validate,
  },
  {
    name: 'plan',
    summary: 'show what a workflow would do, and run nothing',
    description:
      'Tasks in the order in which they can run, what each waits for, who would take it, the longest chain, and ' +
      'references to an input that is not there.',
    arguments: [{ name: 'file', description: 'a workflow file; - is standard input', complete: 'file' }],
    options: inputOptions,
    examples: [
      { command: 'gleitzeit plan workflow.yaml', says: 'what would run' },
      { command: 'gleitzeit plan workflow.yaml --input topic=bees', says: 'with an input' },
    ],
    output: 'plan',
    exits: ['not_found', 'findings', 'unreachable', 'access', 'timeout'],
    load: async () => (await import('../commands/plan.ts')).plan,
  },
  {
    name: 'graph',
    summary: 'draw a workflow, or a run with the status of its tasks',
    arguments: [{ name: 'what', description: 'a workflow file, or the id of a run', complete: 'file' }],
    examples: [
      { command: 'gleitzeit graph workflow.yaml', says: 'as text' },
      { command: 'gleitzeit graph workflow.yaml -o svg > workflow.svg', says: 'as a picture' },
      {
        command: 'gleitzeit graph 0197c2a5-0b6d-7a19-b1c4-9e8d7c6b5a40 -o mermaid',
        says: 'a run, for a page',
      },
    ],
    output: 'graph',
    formats: ['text', 'mermaid', 'dot', 'svg'],
    exits: ['not_found', 'findings', 'unreachable', 'access', 'timeout'],
    load: async () => (await import('../commands/graph.ts')).graph,
  },
  {
    name: 'schema',
    summary: 'print the schema of files, events, the API or what commands print',
    arguments: [
      {
        name: 'what',
        description: 'which one',
        choices: ['workflow', 'config', 'event', 'openrpc', 'output'],
      },
      { name: 'command', description: 'for output: the command; without it all of them', required: false },
    ],
    examples: [
      { command: 'gleitzeit schema workflow > workflow.schema.json', says: 'for an editor' },
      { command: 'gleitzeit schema output validate', says: 'what `gleitzeit validate -o json` prints' },
    ],
    output: 'schema',
    exits: [],
    load: async () => (await import('../commands/schema.ts')).schema,
  },
];
