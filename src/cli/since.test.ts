import { describe, expect, it } from 'vitest';
import { readFlags } from './flags.ts';
import { sinceOf } from './since.ts';

const now = () => Date.parse('2026-01-05T12:00:00Z');
const since = (said: string) => sinceOf({ flags: readFlags(new Map([['since', said]])), now });

describe('--since', () => {
  it.each([
    ['30m', '2026-01-05T11:30:00.000Z'],
    ['7d', '2025-12-29T12:00:00.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
  ])('%s is %s', (said, created_from) => {
    expect(since(said)).toEqual({ created_from });
  });

  it('refuses what is no time, and says how to write one', () => {
    for (const said of ['yesterday', '2026-99-99', '5'])
      expect(() => since(said)).toThrow('--since does not take');
    expect(sinceOf({ flags: readFlags(new Map()), now })).toEqual({});
  });
});
