import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noPlan } from './plan.ts';
import { numberedPlans } from './turns.ts';

it('answers are counted over all lives of a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-turns-'));
  const numbers: number[] = [];
  const live = () =>
    numberedPlans(join(folder, 'turns'), (turn) => {
      numbers.push(turn);
      return noPlan;
    });
  const first = live();
  first();
  first();
  live()();
  rmSync(folder, { recursive: true });
  expect(numbers).toEqual([0, 1, 2]);
});
