import { describe, expect, it } from 'vitest';
import { newest, nextNumber } from './versions.ts';

/** In the order in which they were defined. */
const latest = (...versions: readonly string[]) =>
  newest(versions.map((version, index) => ({ version, defined_at: index })))?.version;

describe('the newest version', () => {
  it.each([
    [['1', '2', '10', '9'], '10'],
    [['v2', 'v1'], 'v2'],
    [['1.9', '1.10', '1.2'], '1.10'],
    [['1', '1.0.1', '1.0'], '1.0.1'],
    [['2.0.0', '2.0.0-rc.1'], '2.0.0'],
    [['2.0.0-rc.10', '2.0.0-rc.9', '2.0.0-beta'], '2.0.0-rc.10'],
    [['1.0-rc', '1.0-rc.1'], '1.0-rc.1'],
    [['1.0-7', '1.0-a'], '1.0-a'],
    [['1.0-b', '1.0-a'], '1.0-b'],
    [['1.0', '1.0.0'], '1.0.0'],
    [['1.0+a', '1.0+b'], '1.0+b'],
  ])('of %j is %s, by its numbers', (versions, expected) => {
    expect(latest(...versions)).toBe(expected);
  });

  it.each([
    [['spring', 'autumn'], 'autumn'],
    [['2', 'draft', '1'], '1'],
    [['2026-02', 'x', 'w'], 'w'],
  ])('of %j is %s, the last to be defined', (versions, expected) => {
    expect(latest(...versions)).toBe(expected);
  });

  it('of none is none', () => {
    expect(latest()).toBe(undefined);
  });
});

describe('the next number', () => {
  it('follows the highest one', () => {
    expect(nextNumber([])).toBe('1');
    expect(nextNumber(['draft', 'v7', '1.5'])).toBe('1');
    expect(nextNumber(['2', '10', '9', 'x'])).toBe('11');
  });
});
