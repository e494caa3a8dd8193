import { describe, expect, it } from 'vitest';
import { ago, took, until } from './time.ts';

const at = '2026-01-05T12:00:00.000Z';
const later = (ms: number) => Date.parse(at) + ms;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('times for people', () => {
  it.each([
    [400, '0s ago'],
    [59_000, '59s ago'],
    [5 * MINUTE, '5m ago'],
    [47 * HOUR, '47h ago'],
    [49 * HOUR, '2d ago'],
    [-1000, '0s ago'],
  ])('%i ms later: %s', (ms, expected) => {
    expect(ago(at, later(ms))).toBe(expected);
  });

  it.each([
    [-4200, 'in 4s'],
    [-200, 'in 1s'],
    [-5 * MINUTE, 'in 5m'],
    [0, 'now'],
    [1000, 'now'],
  ])('%i ms after it: %s', (ms, expected) => {
    expect(until(at, later(ms))).toBe(expected);
  });

  it.each([
    [310, '0.31s'],
    [12_400, '12s'],
    [200_000, '3m 20s'],
    [2 * HOUR + 5 * MINUTE, '2h 5m'],
  ])('%i ms took %s', (ms, expected) => {
    expect(took(at, null, later(ms))).toBe(expected);
    expect(took(at, new Date(later(ms)).toISOString(), 0)).toBe(expected);
  });
});
