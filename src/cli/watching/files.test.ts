import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFiles, isWorkflowFile } from './files.ts';

const files = fc
  .dictionary(fc.stringMatching(/^[a-e]$/), fc.stringMatching(/^[0-2]$/))
  .map((hashes) => new Map(Object.entries(hashes)));

describe('compareFiles', () => {
  it('tells of every difference and of nothing else', () => {
    fc.assert(
      fc.property(files, files, (before, now) => {
        const { changed, removed } = compareFiles(before, now);
        const carried = new Map(before);
        for (const file of removed) carried.delete(file);
        for (const file of changed) carried.set(file, now.get(file) ?? '');
        expect([...carried].sort()).toEqual([...now].sort());
        expect(compareFiles(now, now)).toEqual({ changed: [], removed: [] });
        expect(changed.filter((file) => before.get(file) === now.get(file))).toEqual([]);
      }),
    );
  });
});

describe('isWorkflowFile', () => {
  it.each([
    ['a.gleitzeit.yaml', true],
    ['b/a.gleitzeit.yml', true],
    ['A.Gleitzeit.JSON', true],
    ['gleitzeit.yaml', false],
    ['.gleitzeit.yaml', false],
    ['.a.gleitzeit.yaml', false],
    ['a.gleitzeit.yaml~', false],
    ['a.yaml', false],
  ])('%s: %s', (path, expected) => {
    expect(isWorkflowFile(path)).toBe(expected);
  });
});
