import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Block, blocksOf } from '../../scripts/documents/blocks.ts';
import { allPages } from '../../scripts/documents/pages.ts';
import { loadConfig } from '../../src/config.ts';
import { isObject } from '../../src/core/json.ts';
import { configSchemas } from '../../src/dialects/registry.ts';
import { problemsOf } from '../../src/files/problems.ts';
import { readWorkflow } from '../../src/files/workflow/read.ts';

const sections = [
  'server',
  'store',
  'protocols',
  'secrets',
  'workflows',
  'engine',
  'retention',
  'logging',
  'telemetry',
];

/** Names that pages take for granted. */
const env = { PGPASSWORD: 'x', SEARCH_KEY: 'x', COLLECTOR_KEY: 'x', CLIENT_SECRET: 'x' };

type Kind = 'configuration' | 'workflow' | 'keys of a task' | null;

function kindOf(text: string): Kind {
  const value: unknown = parse(text);
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.includes('tasks')) return 'workflow';
  if (keys.every((key) => sections.includes(key))) return 'configuration';
  return keys.every((key) => ['retry_config', 'timeout', 'on_failure'].includes(key))
    ? 'keys of a task'
    : null;
}

const shown = allPages()
  .filter(
    ({ path }) =>
      /^(README|docs\/(how-to|tutorial|explanation))/.test(path) && !path.endsWith('older-files.md'),
  )
  .flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, block })))
  .filter(({ block }) => block.language === 'yaml')
  .map(({ path, block }) => ({ where: `${path}:${block.line}`, block, kind: kindOf(block.text) }));

async function troubleWith(kind: Kind, { text }: Block): Promise<unknown> {
  try {
    if (kind === 'workflow') readWorkflow(text, { file: 'shown.yaml' });
    else if (kind === 'keys of a task') readWorkflow(asWorkflow(text), { file: 'shown.yaml' });
    else await loadConfig({ text, file: 'shown.yaml', env, cwd: '/', provider_types: configSchemas() });
    return null;
  } catch (thrown) {
    const problems = problemsOf(thrown);
    if (problems.length === 0) return thrown;
    // Certificates are not here.
    const others = problems.filter(({ message }) => message !== 'cannot be read: there is no such file');
    return others.length === 0 ? null : others.map(({ message }) => message);
  }
}

/** The pages show them indented as they stand in a task. */
function asWorkflow(keys: string): string {
  return `name: x\ntasks:\n  - id: x\n    protocol: x/v1\n    method: x\n${keys}`;
}

describe('files on the pages', () => {
  it('are many', () => {
    expect(shown.filter(({ kind }) => kind !== null).length).toBeGreaterThan(12);
  });

  it.each(shown.filter(({ kind }) => kind !== null))(
    '$where, a $kind, is taken as it is',
    async ({ kind, block }) => {
      expect(await troubleWith(kind, block)).toBeNull();
    },
  );
});
