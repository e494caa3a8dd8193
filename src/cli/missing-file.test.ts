import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nearFile, unreadable } from './missing-file.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-near-'));
  mkdirSync(join(cwd, 'flows'));
  for (const name of ['hello.yaml', 'report.gleitzeit.json', 'notes.txt', 'flows/daily.yml'])
    writeFileSync(join(cwd, name), '');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('the file that was probably meant', () => {
  it.each([
    ['helo.yaml', 'hello.yaml'],
    ['hello', 'hello.yaml'],
    ['hello.yml', 'hello.yaml'],
    ['report', 'report.gleitzeit.json'],
    ['report.json', 'report.gleitzeit.json'],
    ['flows/dialy.yml', 'flows/daily.yml'],
    ['notes', null],
    ['somewhere/else.yaml', null],
  ])('%s: %s', async (named, near) => {
    expect(await nearFile(cwd, named)).toBe(near);
  });

  it('is in the error, with where it was looked for', async () => {
    const missing = Object.assign(new Error(), { code: 'ENOENT' });
    const { code, details } = await unreadable(missing, { cwd, named: 'helo.yaml', field: 'file' });
    expect(code).toBe('GLZ1010');
    expect(details.hint).toBe(`looked for ${join(cwd, 'helo.yaml')}; did you mean hello.yaml?`);
    const folder = Object.assign(new Error(), { code: 'EISDIR' });
    expect(await unreadable(folder, { cwd, named: 'flows', field: 'file' })).toMatchObject({
      code: 'GLZ1012',
      details: { reason: 'it is a folder' },
    });
  });
});
