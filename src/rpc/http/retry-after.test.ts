import { describe, expect, it } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
const wall = () => now;

describe('Retry-After', () => {
  it.each([
    ['2', 2000],
    [' 0 ', 0],
    ['1.5', 1500],
    ['Wed, 21 Oct 2026 07:28:05 GMT', 5000],
    ['Wednesday, 21-Oct-26 07:28:05 GMT', 5000],
    ['Wed Oct 21 07:28:05 2026 GMT', 5000],
    ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 86_400_000],
    ['99999999999999999999', 86_400_000],
  ])('reads %s as %d ms', (text, ms) => {
    expect(retryAfter(text, wall)).toBe(ms);
  });

  it.each([undefined, '', 'soon', '-1', '2026-10-21', '1e9', 'Wed, nonsense'])(
    'says nothing for %s',
    (text) => {
      expect(retryAfter(text, wall)).toBeUndefined();
    },
  );

  it('takes the first of several', () => {
    expect(retryAfter(['3', '4'], wall)).toBe(3000);
  });
});
