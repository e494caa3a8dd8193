import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../scripts/source/files.ts';
import { bundle } from './sdk/bundle.ts';
import { documentProgram } from './sdk/document.ts';

const exec = promisify(execFile);

async function call(folder: string, program: 'npm' | 'npx', ...args: string[]): Promise<string> {
  const shell = process.platform === 'win32';
  const { stdout } = await exec(program, args, { cwd: folder, shell, maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}

// There is nothing to start before there is a command line.
describe.runIf(existsSync(join(projectRoot, 'src/cli/main.ts')))('the package', () => {
  let folder: string;
  let installation: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gleitzeit-pack-'));
    installation = join(folder, 'a folder with spaces');
    await mkdir(installation);
    await call(projectRoot, 'npm', 'pack', '--pack-destination', folder);
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    await writeFile(join(installation, 'package.json'), '{ "private": true }');
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await call(installation, 'npm', 'install', ...quietly, join(folder, tarball ?? 'no tarball was packed'));
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('carries what was built, and neither sources nor tests', async () => {
    const root = join(installation, 'node_modules', 'gleitzeit');
    const files = await readdir(root, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['package.json', 'LICENSE']));
    expect(files.filter((name) => /\.(test|suite)\.|^(src|test|scripts|bench)\b/.test(name))).toEqual([]);
  });

  it('runs the demo where it is installed, without having run an install script', async () => {
    const said = await call(installation, 'npx', 'gleitzeit', 'demo', '--json');
    const summary: unknown = JSON.parse(said.split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ kills: 1, tasks: 5, completed: 5, executed_twice_after_completion: 0 });
  }, 120_000);

  it('says its version, in a clone as in an installation', async () => {
    const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    expect(await call(installation, 'npx', 'gleitzeit', '--version')).toBe(version);
    expect(await call(projectRoot, 'npx', 'gleitzeit', '--version')).toBe(version);
  });

  it('has a client that bundlers put into a page', async () => {
    const file = join(installation, 'page.js');
    await writeFile(file, "export { connect } from 'gleitzeit/sdk';");
    const { code, imports } = await bundle(pathToFileURL(file));
    expect(imports).toEqual([]);
    expect(code).toContain('auth.ticket');
  });

  it('has the zones for programs, with their types', async () => {
    const page = await readFile(join(projectRoot, 'docs/how-to/zones-in-a-program.md'), 'utf8');
    const file = join(installation, 'zones.mts');
    await writeFile(file, documentProgram(page, { url: 'http://127.0.0.1:8000', sdk: 'gleitzeit/sdk' }));
    const { stdout } = await exec(process.execPath, [file], { cwd: installation });
    expect(page).toContain(`\`\`\`text\n${stdout}\`\`\``);
    const options = ['--strict', '--noEmit', '--target', 'es2024', '--module', 'nodenext', '--skipLibCheck'];
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')];
    await exec(join(projectRoot, 'node_modules/.bin/tsc'), [...options, ...types, file], {
      cwd: installation,
    });
  }, 180_000);

  it('has types of the client that need none of Node', async () => {
    const page = await readFile(join(projectRoot, 'docs/how-to/client.md'), 'utf8');
    const program = documentProgram(page, { url: 'http://127.0.0.1:8000', sdk: 'gleitzeit/sdk' });
    await writeFile(join(installation, 'program.ts'), program);
    const wrong = "import { connect } from 'gleitzeit/sdk';\nconnect({ url: '' }).call('task.stauts');\n";
    await writeFile(join(installation, 'wrong.ts'), wrong);
    const options = ['--strict', '--noEmit', '--target', 'es2024', '--lib', 'es2024,dom'];
    const modules = ['--module', 'preserve', '--moduleResolution', 'bundler', '--listFiles', '--types', ''];
    const tsc = (name: string) =>
      exec(join(projectRoot, 'node_modules/.bin/tsc'), [...options, ...modules, name], { cwd: installation });
    const { stdout } = await tsc('program.ts');
    expect(stdout).toContain('gleitzeit/dist/sdk/index.d.ts');
    expect(stdout).not.toContain('@types/node');
    await expect(tsc('wrong.ts')).rejects.toMatchObject({ stdout: expect.stringContaining('"task.stauts"') });
  }, 180_000);
});
