import { readFileSync, writeFileSync } from 'node:fs';
import type { Plan } from './plan.ts';

/**
 * Numbers the answers of a program over all its lives: one that is cut off and started again would otherwise meet the same
 * faults in each life, from the first one on.
 */
export function numberedPlans(file: string, planOf: (turn: number) => Plan): () => Plan {
  let turn = read(file);
  return () => {
    const plan = planOf(turn++);
    writeFileSync(file, String(turn));
    return plan;
  };
}

function read(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}
