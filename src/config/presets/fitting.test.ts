import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../testing.suite.ts';
import { filesFitting, hashOfNames, isPattern } from './fitting.ts';

describe('a pattern of files', () => {
  it.each([
    ['*.yaml', ['a.yaml', 'ab.yaml', 'b.yaml']],
    ['a*', ['a.txt', 'a.yaml', 'ab.yaml']],
    ['a*b*.yaml', ['ab.yaml']],
    ['*a*a*', ['a.yaml', 'ab.yaml']],
    ['*l*l*', []],
    ['*', ['a.txt', 'a.yaml', 'ab.yaml', 'b.yaml']],
  ])('%s fits %j', async (pattern, expected) => {
    const folder = testFolder();
    for (const name of ['b.yaml', 'a.yaml', 'ab.yaml', 'a.txt', '.a.yaml'])
      writeFileSync(join(folder, name), '');
    const found = await filesFitting(join(folder, pattern));
    expect(found.map((file) => basename(file))).toEqual(expected);
  });

  it('is one by its last part, and another one when a file comes', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'types'));
    const pattern = join(folder, 'types', '*.yaml');
    expect([isPattern(pattern), isPattern('/a*/b.yaml')]).toEqual([true, false]);
    const before = hashOfNames(await filesFitting(pattern));
    writeFileSync(join(folder, 'types', 'a.yaml'), '');
    expect(hashOfNames(await filesFitting(pattern))).not.toBe(before);
    await expect(filesFitting(join(folder, 'nowhere', '*.yaml'))).rejects.toThrow();
  });
});
