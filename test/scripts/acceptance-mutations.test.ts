import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutated, mutations, testOf } from '../../scripts/mutation/acceptance.ts';
import { projectRoot } from '../../scripts/source/files.ts';

const files = globSync('test/acceptance/[0-9]*.test.ts', { cwd: projectRoot });

describe('mutations of acceptance criteria', () => {
  it('are at least ten, of every requirement', () => {
    const criteria = new Set(mutations.map(({ criterion }) => criterion));
    expect(criteria.size).toBeGreaterThanOrEqual(10);
    expect([...new Set([...criteria].map((criterion) => criterion.split('.')[0]))]).toEqual([
      ...['1', '2', '3', '4', '5', '6', '7'],
    ]);
  });

  it.each(mutations.map((mutation) => [mutation.criterion, mutation] as const))(
    'change one place that %s rests on, and there is a test to notice it',
    (criterion, mutation) => {
      const { path, text } = mutated(mutation);
      expect(text).not.toBe(readFileSync(join(projectRoot, path), 'utf8'));
      const test = testOf(criterion, files);
      expect(test).toBeDefined();
      expect(readFileSync(join(projectRoot, test ?? ''), 'utf8')).toContain(`it('${criterion} `);
    },
  );
});
