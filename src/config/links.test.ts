import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldersOnTheWay } from './links.ts';
import { testFolder } from './testing.suite.ts';

/** Without links of the system above it. */
const folderHere = () => realpathSync(testFolder());

describe('foldersOnTheWay', () => {
  it('is the folder of a file without links, be it there or not', () => {
    const folder = folderHere();
    writeFileSync(join(folder, 'file'), '');
    expect([...foldersOnTheWay(join(folder, 'file'))]).toEqual([folder]);
    expect([...foldersOnTheWay(join(folder, 'none', 'file'))]).toEqual([join(folder, 'none')]);
  });

  it('names where each link stands, and where the file lies', () => {
    const folder = folderHere();
    for (const name of ['a', 'b', 'c/d']) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync('../c/./d', join(folder, 'b', 'inner'));
    symlinkSync(join(folder, 'b', 'inner'), join(folder, 'a', 'outer'));
    writeFileSync(join(folder, 'c', 'd', 'real'), '');
    symlinkSync('../d/real', join(folder, 'c', 'd', 'file'));
    const named = ['a/outer', 'a', 'b', 'c/d'].map((name) => join(folder, name));
    expect([...foldersOnTheWay(join(folder, 'a', 'outer', 'file'))]).toEqual(named);
  });

  it('ends where links go round in a circle', () => {
    const folder = folderHere();
    symlinkSync('two', join(folder, 'one'));
    symlinkSync('one', join(folder, 'two'));
    expect([...foldersOnTheWay(join(folder, 'one'))]).toEqual([folder]);
  });
});
