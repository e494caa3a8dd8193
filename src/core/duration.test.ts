import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';
import { thrownBy } from './thrown.suite.ts';

describe('a duration', () => {
  it.each([
    [30, 30],
    [0, 0],
    [0.25, 0.25],
    ['30s', 30],
    ['250ms', 0.25],
    ['2m', 120],
    ['1h', 3_600],
    ['1d', 86_400],
    ['1.5h', 5_400],
    ['1h30m', 5_400],
    ['1d2h3m4s500ms', 93_784.5],
    [' 30s ', 30],
    ['PT30S', 30],
    ['PT0.5S', 0.5],
    ['PT1H30M', 5_400],
    ['P1DT2H', 93_600],
    ['P2W', 1_209_600],
    ['P1W1D', 691_200],
    ['P1D', 86_400],
    ['PT1.5M', 90],
    [315_360_000, 315_360_000],
  ])('%s is %d seconds', (written, seconds) => {
    expect(parseDuration(written)).toBeCloseTo(seconds, 9);
  });

  it('counts a bare number in the unit of its place, and text in its own', () => {
    expect(parseDuration(1500, 'ms')).toBe(1.5);
    expect(parseDuration('2s', 'ms')).toBe(2);
  });

  it.each([
    ['30', '"30" is text without a unit'],
    ['1.5', '"1.5" is text without a unit'],
    ['', '"" is no duration'],
    ['soon', '"soon" is no duration'],
    ['30 s', '"30 s" is no duration'],
    ['30x', '"30x" is no duration'],
    ['s30', '"s30" is no duration'],
    ['1h30', '"1h30" is no duration'],
    ['1.s', '"1.s" is no duration'],
    ['-5s', 'a duration cannot be negative'],
    [-1, 'a duration cannot be negative'],
    [Number.NaN, 'a duration cannot be NaN'],
    [Number.POSITIVE_INFINITY, 'a duration is at most ten years'],
    [315_360_001, 'a duration is at most ten years'],
    ['3651d', 'a duration is at most ten years'],
    ['30m1h', '"30m1h" names its units out of order or twice'],
    ['1s1s', '"1s1s" names its units out of order or twice'],
    ['P', '"P" is no ISO 8601 duration'],
    ['PT', '"PT" is no ISO 8601 duration'],
    ['P1DT', '"P1DT" is no ISO 8601 duration'],
    ['PT30', '"PT30" is no ISO 8601 duration'],
    ['xPT30S', '"xPT30S" is no duration'],
    ['PT30Sx', '"PT30Sx" is no ISO 8601 duration'],
    ['P1Y', '"P1Y" counts in years or months, which differ in length'],
    ['P2M', '"P2M" counts in years or months, which differ in length'],
    ['P1M2D', '"P1M2D" counts in years or months, which differ in length'],
    ['x'.repeat(65), 'this text is too long for a duration'],
    [null, 'a duration is a number or text, not null'],
    [true, 'a duration is a number or text, not boolean'],
    [[1], 'a duration is a number or text, not array'],
  ])('%s is none', (written, reason) => {
    const error = thrownBy(() => parseDuration(written));
    expect(error.code).toBe('GLZ1012');
    expect(error.message).toBe(reason);
    expect(error.details.reason).toBe(reason);
    expect(error.details.hint).toContain('30s, 250ms');
  });

  it('may be as long as a text that is read', () => {
    expect(parseDuration(`${'0'.repeat(62)}1s`)).toBe(1);
  });

  it('means the same in both notations', () => {
    const part = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(part, part, part, (h, m, s) => {
        expect(parseDuration(`PT${h}H${m}M${s}S`)).toBe(h * 3600 + m * 60 + s);
        expect(parseDuration(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s);
      }),
    );
  });

  it('of any text is a number in bounds or an error that says what to write', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^P?T?[0-9.]{0,5}[dhmsDHMSWY]{0,3}$/)), (text) => {
        try {
          const seconds = parseDuration(text);
          return seconds >= 0 && seconds <= 315_360_000;
        } catch {
          return thrownBy(() => parseDuration(text)).code === 'GLZ1012';
        }
      }),
    );
  });
});
