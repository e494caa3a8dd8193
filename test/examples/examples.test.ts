import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../examples/', import.meta.url);
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const run = promisify(execFile);

describe('examples', () => {
  it('are there', () => {
    expect(examples).not.toEqual([]);
  });

  for (const name of examples) {
    it(`${name} runs and finds its own result right`, async () => {
      await run(process.execPath, [fileURLToPath(new URL(name, folder))], { timeout: 60_000 });
    }, 60_000);
  }

  it('README shows the same program as examples/greeting.ts', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const example = readFileSync(new URL('greeting.ts', folder), 'utf8');
    const common = shown
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^import|store:|console\.log/.test(line));
    expect(common.filter((line) => !example.includes(line))).toEqual([]);
  });
});
