import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { configSchemas, providerTypes } from '../dialects/registry.ts';
import { loadConfig } from './load.ts';
import { settings } from './overrides.ts';
import { configReference } from './reference.ts';

const root = join(import.meta.dirname, '..', '..');

describe('docs/reference/configuration.md', () => {
  it('is what the schema says; `node scripts/config-reference.ts` writes it', () => {
    const page = readFileSync(join(root, 'docs', 'reference', 'configuration.md'), 'utf8');
    expect(page).toBe(configReference(Object.fromEntries(providerTypes)));
  });

  it('has every variable there is', () => {
    const page = configReference({});
    for (const { name } of settings()) expect(page).toContain(`\`${name}\``);
  });
});

describe('examples/configuration', () => {
  const file = join(root, 'examples', 'configuration', 'gleitzeit.yaml');

  it('is a configuration without a mistake', async () => {
    const config = await loadConfig({ file, env: {}, cwd: root, provider_types: configSchemas() });
    expect(config.warnings).toEqual([]);
    expect(config.protocols.map(({ name }) => name)).toEqual(['words/v1', 'web-search/v1']);
    expect(config.server.port).toBe(8000);
  });

  it('brings a program that answers as its protocol says', async () => {
    const folder = join(root, 'examples', 'configuration');
    const { protocols } = await loadConfig({ file, env: {}, cwd: root, provider_types: configSchemas() });
    const { config } = protocols[0]?.providers[0] ?? {};
    expect(config).toMatchObject({ command: ['node', 'words.js'], cwd: folder });
    const child = spawn(process.execPath, ['words.js'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'count', params: { text: 'one two' } })}\n`,
    );
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: { words: 2 } });
  });
});
