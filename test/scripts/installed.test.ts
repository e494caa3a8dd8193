import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRecentEnough, tooOldMessage } from '../../bin/require-node.js';
import {
  installedMatchesLockfile,
  refusedOnlyOtherPlatforms,
  samePackages,
} from '../../scripts/installed.js';

const wanted = {
  '': {},
  'node_modules/pg': { version: '8.1.0', integrity: 'a', optionalDependencies: { 'pg-other': '1.0.0' } },
  'node_modules/pg-win': { version: '1.0.0', integrity: 'b', optional: true },
};
const installed = { 'node_modules/pg': { version: '8.1.0', integrity: 'a' } };

describe('what is installed', () => {
  it('matches, although the packages of other platforms are absent', () => {
    expect(samePackages(wanted, installed)).toBe(true);
  });

  it.each([
    ['another version', { 'node_modules/pg': { version: '8.2.0', integrity: 'a' } }],
    ['other contents', { 'node_modules/pg': { version: '8.1.0', integrity: 'z' } }],
    ['something missing', {}],
    ['something besides', { ...installed, 'node_modules/left-over': { version: '1.0.0' } }],
  ])('does not match with %s', (_, found) => {
    expect(samePackages(wanted, found)).toBe(false);
  });
});

describe('in a folder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gleitzeit installed-'));
    await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('an install that broke off does not match', async () => {
    expect(installedMatchesLockfile(root)).toBe(false);
    await mkdir(join(root, 'node_modules'));
    expect(installedMatchesLockfile(root)).toBe(false);
    await writeFile(
      join(root, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: installed }),
    );
    expect(installedMatchesLockfile(root)).toBe(true);
  });

  it('a lockfile that lacks only builds for other platforms is told from a wrong one', () => {
    expect(refusedOnlyOtherPlatforms(root, 'npm error Missing: pg-other@ from lock file')).toBe(true);
    expect(refusedOnlyOtherPlatforms(root, 'npm error Missing: fastify@5.0.0 from lock file')).toBe(false);
    expect(refusedOnlyOtherPlatforms(root, 'npm error network')).toBe(false);
  });

  it('two at once do their work one after the other, past a lock whose holder died', async () => {
    await writeFile(join(root, 'install.lock'), '999999999');
    const lockModule = new URL('../../scripts/install-lock.js', import.meta.url).href;
    const log = join(root, 'log');
    const work = `async () => { await a('in\\n'); await new Promise((r) => setTimeout(r, 50)); await a('out\\n'); }`;
    const code = `import { appendFile } from 'node:fs/promises'; import { withInstallLock } from '${lockModule}';
      const a = (text) => appendFile(${JSON.stringify(log)}, text);
      await withInstallLock(${JSON.stringify(root)}, ${work});`;
    const children = [1, 2].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' }),
    );
    await Promise.all(children.map((child) => once(child, 'close')));
    expect(await readFile(log, 'utf8')).toBe('in\nout\nin\nout\n');
  });
});

describe('the Node that runs', () => {
  it.each([
    ['v24.15.0', true],
    ['v26.0.0', true],
    ['v24.14.9', false],
    ['v20.20.2', false],
  ])('%s', (version, enough) => expect(isRecentEnough(version)).toBe(enough));

  it('is named in one sentence when it is too old', () => {
    expect(tooOldMessage('v20.1.0', true)).toMatch(
      /needs Node 24\.15 or later and this is v20\.1\.0: .*npm install.*\.$/,
    );
  });
});
