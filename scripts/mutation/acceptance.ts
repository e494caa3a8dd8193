import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../source/files.ts';
import type { Changed } from './workshop.ts';

/** The code that an acceptance criterion rests on, taken away. Its test has to notice. */
export type Mutation = {
  readonly criterion: string;
  readonly path: string;
  /** Stands there once. */
  readonly before: string;
  readonly after: string;
};

const wire = 'src/dialects/a2a/wire';

export const mutations: readonly Mutation[] = [
  {
    criterion: '1.4',
    path: `${wire}/requests.ts`,
    before: "send: 'message/send'",
    after: "send: 'tasks/send'",
  },
  { criterion: '1.7', path: `${wire}/messages.ts`, before: "'0.3' ? role :", after: "'0.3' ? 'agent' :" },
  { criterion: '1.8', path: `${wire}/input.ts`, before: '`msg-${call_id}`', after: "'msg-1'" },
  {
    criterion: '2.1',
    path: `${wire}/answers.ts`,
    before: 'if (answered === undefined)',
    after: 'if (answered === false)',
  },
  {
    criterion: '2.7',
    path: `${wire}/parts.ts`,
    before: "parts.filter((part) => part.kind === 'text').map(({ text }) => text)",
    after: 'parts.map((part) => JSON.stringify(part))',
  },
  { criterion: '2.9', path: `${wire}/output.ts`, before: 'of messages.toReversed()', after: 'of messages' },
  {
    criterion: '2.10',
    path: `${wire}/verdict.ts`,
    before: "if (state !== 'completed')",
    after: "if (state === 'failed')",
  },
  {
    criterion: '3.6',
    path: 'src/dialects/simple-a2a/wire.ts',
    before: "if (own(body, 'task_id') !== task_id)",
    after: 'if (task_id === null)',
  },
  {
    criterion: '4.1',
    path: 'src/dialects/agent/written.ts',
    before: 'const PIECES = 60',
    after: 'const PIECES = 1',
  },
  {
    criterion: '4.2',
    path: `${wire}/answers.ts`,
    before: "if (own(message, 'jsonrpc') !== '2.0')",
    after: "if (own(message, 'jsonrpc') === null)",
  },
  {
    criterion: '4.5',
    path: `${wire}/errors.ts`,
    before: '`JSON-RPC Error ${code}: ${message}`',
    after: 'message',
  },
  {
    criterion: '4.6',
    path: `${wire}/output.ts`,
    before:
      'return isObject(raw) ? { ...unwrapped(raw), ...given({ context_id: task.context_id }) } : output;',
    after: 'return output;',
  },
  {
    criterion: '4.7',
    path: `${wire}/said.ts`,
    before: 'items.filter(isObject)',
    after: '[...items] as JsonObject[]',
  },
  {
    criterion: '5.5',
    path: 'src/dialects/agent/headers.ts',
    before: "'x-correlation-id': correlation_id,",
    after: '',
  },
  { criterion: '6.2', path: 'src/dialects/agent/input.ts', before: "['text', 'query']", after: "['text']" },
  {
    criterion: '7.3',
    path: 'src/dialects/agent/translation.ts',
    before: "logger?.info('Extracted",
    after: "logger?.debug('Extracted",
  },
  {
    criterion: '7.5',
    path: 'src/dialects/agent/translation.ts',
    before: 'agent_name, correlation_id, protocol }',
    after: 'agent_name, protocol }',
  },
];

/** The file with the mutation in it. Throws where the place has moved: then the mutation has to move with it. */
export function mutated({ criterion, path, before, after }: Mutation): Changed {
  const text = readFileSync(join(projectRoot, path), 'utf8');
  const found = text.split(before).length - 1;
  if (found !== 1)
    throw new Error(`${criterion}: ${JSON.stringify(before)} stands ${found} times in ${path}`);
  return { path, text: text.replace(before, () => after) };
}

/** The file that holds the test of a criterion, named after the requirement. */
export function testOf(criterion: string, files: readonly string[]): string | undefined {
  const [requirement] = criterion.split('.');
  return files.find((file) => file.startsWith(`test/acceptance/${requirement}-`));
}
