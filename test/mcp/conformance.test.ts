import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const { resolve } = createRequire(import.meta.url);
const suite = join(dirname(resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js');
const client = fileURLToPath(new URL('./conformance-client.ts', import.meta.url));

/** What the suite says at its end of the scenarios that count for a revision, and of those that do not. */
async function conformance(revision: string): Promise<{ scored: string[]; unscored: string[]; log: string }> {
  const out = mkdtempSync(join(tmpdir(), 'gleitzeit-conformance-'));
  // The suite splits its command at every space, and paths may have some.
  const [node, script] = [join(out, 'node'), join(out, 'client.ts')];
  symlinkSync(process.execPath, node);
  symlinkSync(client, script);
  const command = `${node} ${script}`;
  const args = ['client', '--command', command, '--requirements', revision, '--timeout', '240000', '-o', out];
  const child = spawn(process.execPath, [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  await once(child, 'close');
  rmSync(out, { recursive: true, force: true });
  const [summary = '', rest = ''] = (log.split('=== SUITE SUMMARY ===')[1] ?? '').split('Not scored for');
  const unscored = new Set([...rest.matchAll(/[✓✗] (\S+) \(/g)].map(([, name]) => name));
  const found = [...summary.matchAll(/([✓✗]) (\S+): (\d+) passed, (\d+) failed/g)].map(
    ([, mark, name = '', passed, failed]) => ({ name, line: `${mark} ${name}`, passed, failed }),
  );
  const lines = (of: typeof found) => of.map(({ line }) => line);
  return {
    scored: lines(found.filter(({ name }) => !unscored.has(name))),
    unscored: lines(found.filter(({ name }) => unscored.has(name))),
    log,
  };
}

describe('the conformance suite of MCP', () => {
  it.each([
    { revision: '2025-11-25', scenarios: 18 },
    { revision: '2026-07-28', scenarios: 32 },
  ])(
    'passes a client of $revision in every scenario that is scored',
    async ({ revision, scenarios }) => {
      const { scored, unscored, log } = await conformance(revision);
      expect(
        scored.filter((line) => !line.startsWith('✓')),
        log.slice(-4000),
      ).toEqual([]);
      expect(scored).toHaveLength(scenarios);
      expect(unscored).toEqual(
        expect.arrayContaining([
          '✓ auth/client-credentials-jwt',
          '✓ auth/client-credentials-basic',
          '✓ json-schema-2020-12-preservation',
        ]),
      );
      expect(log).not.toContain('Client timed out');
    },
    300_000,
  );
});
