import { describe, expect, it } from 'vitest';
import { createIo } from './io.ts';

function columnsOf(columns: number | undefined, env: Record<string, string> = {}): number | null {
  const stream = { write: () => {}, isTTY: true, columns };
  const rest = {
    fields: [],
    color: undefined,
    no_input: false,
    debug: false,
    stdin_tty: false,
    now: Date.now,
  };
  return createIo({ stdout: stream, stderr: stream, env, format: 'table', ...rest }).stderr.columns;
}

describe('the width of a terminal', () => {
  it('is what it says, and a usual one where it does not know', () => {
    expect(columnsOf(120)).toBe(120);
    expect(columnsOf(undefined)).toBe(80);
    expect(columnsOf(0), 'lines of no width would all be empty').toBe(80);
    expect(columnsOf(120, { COLUMNS: '60' })).toBe(60);
  });
});
