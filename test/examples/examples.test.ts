import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { readersEnvironment } from '../documents/environment.ts';
import { follow } from '../documents/follow.ts';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { openStage, type Stage } from './stage.ts';

const execute = promisify(execFile);
const entries = readdirSync(join(projectRoot, 'examples'), { withFileTypes: true });
const programs = entries
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map(({ name }) => name);
const numbered = entries.filter((entry) => /^\d\d-/.test(entry.name)).map(({ name }) => name);
const MINUTE = 60_000;

let stage: Stage;
/** Where nobody has been before. */
let fresh: Stage;
beforeAll(async () => {
  if (!(await isInstalled('python3'))) await installOnDebian('python3', 'install Python 3.9 or later');
  if (!(await isInstalled('go'))) await installOnDebian('golang-go', 'install Go 1.19 or later');
  stage = await openStage();
  fresh = await openStage();
});
afterAll(async () => {
  await stage.close();
  await fresh.close();
});

async function node(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(process.execPath, args, { cwd: folder, timeout: MINUTE });
  return stdout;
}

describe('programs', () => {
  it.each(programs)('%s finds its own result right', { timeout: MINUTE }, async (name) => {
    await node(join(stage.folder, 'examples'), join(projectRoot, 'examples', name));
  });
});

describe.each(numbered)('%s', (name) => {
  const at = (file: string) => join(stage.folder, 'examples', name, file);
  const has = (file: string) => existsSync(join(projectRoot, 'examples', name, file));

  it('says what it shows and how to see it', () => {
    const page = readFileSync(at('README.md'), 'utf8');
    expect(page).toMatch(/^# /);
    expect(page).toContain('```sh');
  });

  it('asserts its own result', { timeout: MINUTE }, async () => {
    expect(has('expected.json') || has('check.ts'), 'expected.json or check.ts').toBe(true);
    if (has('check.ts')) await node(at('.'), at('check.ts'));
    if (!has('expected.json')) return;
    const program = join(projectRoot, 'bin', 'gleitzeit.js');
    const said = await node(at('.'), program, 'run', 'workflow.gleitzeit.yaml', '-o', 'json');
    expect(JSON.parse(said)).toMatchObject(JSON.parse(readFileSync(at('expected.json'), 'utf8')));
  });

  it('does what its page says, to the letter', { timeout: 2 * MINUTE }, async () => {
    const env = readersEnvironment();
    const folder = join(fresh.folder, 'examples', name);
    const { outputs } = await follow(readFileSync(at('README.md'), 'utf8'), { folder, env });
    expect(outputs).toBeGreaterThan(0);
  });
});

describe('README.md', () => {
  it('shows the same program as examples/greeting.ts', () => {
    const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
    const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const example = readFileSync(join(projectRoot, 'examples', 'greeting.ts'), 'utf8');
    const common = shown
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^import|store:|console\.log/.test(line));
    expect(common.filter((line) => !example.includes(line))).toEqual([]);
  });
});

describe('names of metrics', () => {
  it('in 12-observability are those there are', () => {
    const known = readFileSync(join(projectRoot, 'docs/reference/metrics.md'), 'utf8');
    const files = ['alerts.yml', 'grafana-dashboard.json'].map((file) =>
      readFileSync(join(projectRoot, 'examples/12-observability', file), 'utf8'),
    );
    const used = files.flatMap((text) => text.match(/\bgleitzeit_\w+/g) ?? []);
    expect(used.length).toBeGreaterThan(8);
    for (const name of used) expect(known).toContain(name.replace(/_(bucket|count|sum)$/, ''));
  });
});
