import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Block, blocksOf } from '../../scripts/documents/blocks.ts';
import { allPages } from '../../scripts/documents/pages.ts';
import { projectRoot } from '../../scripts/source/files.ts';
import { loadConfig, presetsIn } from '../../src/config.ts';
import type { Functions } from '../../src/core/function-call.ts';
import { isObject } from '../../src/core/json.ts';
import { configSchemas } from '../../src/dialects/registry.ts';
import { problemsOf } from '../../src/files/problems.ts';
import { readWorkflow } from '../../src/files/workflow/read.ts';
import { libraryProtocols } from '../../src/registry/library/index.ts';

const sections = [
  'server',
  'store',
  'protocols',
  'secrets',
  'workflows',
  'functions',
  'engine',
  'dispatch',
  'bridge',
  'retention',
  'logging',
  'telemetry',
];

/** Names that pages take for granted. */
const names = [
  'PGPASSWORD',
  'SEARCH_KEY',
  'COLLECTOR_KEY',
  'CLIENT_SECRET',
  'PICTURES_KEY',
  'PRICES_TOKEN',
  'ZONE_KEY',
  'BOT_TOKEN',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
];
const env = Object.fromEntries(names.map((name) => [name, 'x']));

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
  .flatMap(({ path, text }) => {
    const blocks = blocksOf(text);
    return blocks.map((block) => ({ path, block, functions: functionsIn(blocks) }));
  })
  .filter(({ block }) => block.language === 'yaml')
  .map(({ path, ...shown }) => ({
    where: `${path}:${shown.block.line}`,
    ...shown,
    kind: kindOf(shown.block.text),
  }));

/** What the configurations of a page map functions to. */
function functionsIn(blocks: readonly Block[]): Functions {
  const values = blocks
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => parse(text) as unknown);
  return Object.assign({}, ...values.map((value) => (isObject(value) ? (value['functions'] ?? {}) : {})));
}

type Shown = (typeof shown)[number];

async function troubleWith({ kind, block: { text }, functions }: Shown): Promise<unknown> {
  const protocols = { get: () => undefined, names: () => [], partial: true, functions };
  try {
    if (kind === 'workflow') readWorkflow(text, { file: 'shown.yaml', protocols });
    else if (kind === 'keys of a task') readWorkflow(asWorkflow(text), { file: 'shown.yaml' });
    else
      await loadConfig({
        text,
        file: 'shown.yaml',
        env,
        cwd: '/',
        library: libraryProtocols(),
        provider_types: configSchemas(),
        presets: presetsIn(join(projectRoot, 'types')),
      });
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

  it.each(shown.filter(({ kind }) => kind !== null))('$where, a $kind, is taken as it is', async (one) => {
    expect(await troubleWith(one)).toBeNull();
  });
});
