import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';

const program = join(projectRoot, 'bin', 'gleitzeit.js');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-loaded-'));
  writeFileSync(
    join(folder, 'telling.mjs'),
    `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (process.stderr.write('loads ' + url + '\\n'), next(url, context)) });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files a command reads before it ends: what it takes to start depends on them. */
function loadedBy(...args: string[]): string[] {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', join(folder, 'telling.mjs'), program, ...args],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return [...stderr.matchAll(/^loads file:\/\/(.*)$/gm)].map(([, path = '']) => path);
}

describe('a command loads what it needs', () => {
  it('--version hardly more than itself', () => {
    const loaded = loadedBy('--version');
    expect(loaded.length).toBeLessThan(5);
    expect(loaded.join()).not.toContain('node_modules');
  });

  it('a command on the local store neither a server nor drivers of other stores', () => {
    const loaded = loadedBy('list', '-o', 'json').join('\n');
    expect(loaded.split('\n').length).toBeGreaterThan(5);
    for (const heavy of ['fastify', 'undici', 'node_modules/pg', 'opentelemetry', 'prometheus'])
      expect(loaded).not.toContain(heavy);
  });
});
