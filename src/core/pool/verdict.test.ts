import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../answer.ts';
import { type ErrorCode, errorCodes } from '../error-codes.ts';
import { type ErrorDetails, errorRecord } from '../errors.ts';
import { type CallTime, judge } from './verdict.ts';

const failed = (code: ErrorCode, details: ErrorDetails = {}): Answer => ({
  word: 'failed',
  error: errorRecord(code, 'no', details),
});
const time = (ms: number, usual: number | null = null, own = usual): CallTime => ({
  ms,
  own_ms: () => own,
  usual_ms: () => usual,
});
const wait = { kind: 'input', ask: null, kept: null, token: null, after_ms: null, late: 'fail' } as const;

describe('what an answer says of whoever gave it', () => {
  it.each([
    ['done', { word: 'done', result: '1' }, 'well', true],
    ['later', { word: 'again', after_ms: 1, reason: 'busy' }, 'well', false],
    ['somebody else first', { word: 'outside', wait }, 'well', false],
    ['taken back by us', { word: 'withdrawn' }, 'nothing', false],
  ] as const)('%s', (_, answer, verdict, answered) => {
    const heard = { verdict, answered, slow: false, pause_ms: 0, lacks: false };
    expect(judge(answer, time(7, 3))).toEqual(heard);
  });

  it.each([
    ['GLZ2001', {}, 'failed'],
    ['GLZ2002', {}, 'failed'],
    ['GLZ2008', {}, 'failed'],
    ['GLZ2003', {}, 'failed'],
    ['GLZ2004', {}, 'nothing'],
    ['GLZ2009', {}, 'nothing'],
    ['GLZ1005', {}, 'nothing'],
    ['GLZ3001', {}, 'nothing'],
    ['GLZ2005', {}, 'well'],
    ['GLZ2010', {}, 'well'],
    ['GLZ2010', { fault: 'method' }, 'well'],
    ['GLZ2010', { fault: 'provider' }, 'failed'],
    ['GLZ2005', { fault: 'provider' }, 'failed'],
  ] as const)('%s %j: %s', (code, details, verdict) => {
    expect(judge(failed(code, details)).verdict).toBe(verdict);
  });

  it('says how quick it is only where it did what it was asked', () => {
    const codes = fc.constantFrom(...(Object.keys(errorCodes) as ErrorCode[]));
    const faults = fc.constantFrom<ErrorDetails>({}, { fault: 'provider' }, { fault: 'method' });
    fc.assert(
      fc.property(codes, faults, fc.nat(1000), (code, details, ms) => {
        const { answered, slow } = judge(failed(code, details), time(ms, 1001));
        expect(answered).toBe(false);
        // Less than calls usually take is never slow, unless it was all the time there is.
        expect(slow && code !== 'GLZ2003').toBe(false);
      }),
    );
  });

  it('lacks a method only where it says so', () => {
    expect(judge(failed('GLZ2010', { fault: 'method' })).lacks).toBe(true);
    expect(judge(failed('GLZ2010')).lacks).toBe(false);
    expect(judge(failed('GLZ2001', { fault: 'method' })).lacks).toBe(false);
  });

  it.each([
    ['GLZ2004', undefined, null],
    ['GLZ2004', 700, 700],
    ['GLZ2004', 0.2, 0.2],
    ['GLZ2004', 0, null],
    ['GLZ2004', -5, null],
    ['GLZ2004', Number.NaN, null],
    ['GLZ2004', 1e300, null],
    ['GLZ2001', 0, 0],
    ['GLZ2001', 1e300, 0],
    ['GLZ2001', undefined, 0],
    ['GLZ2001', 700, 700],
    ['GLZ2010', 700, 0],
  ] as const)(
    'asks to be left alone for as long as it says, where that is a time at all: %s, %s',
    (code, retry_after_ms, pause_ms) => {
      const details = retry_after_ms === undefined ? {} : { retry_after_ms };
      expect(judge(failed(code, details)).pause_ms).toBe(pause_ms);
    },
  );

  it('may ask to be left alone until its credentials are right', () => {
    expect(judge(failed('GLZ2010', { fault: 'provider', retry_after_ms: 9 })).pause_ms).toBe(9);
    expect(judge(failed('GLZ2010', { fault: 'provider' })).pause_ms).toBe(0);
  });
});

describe('a call that took too long', () => {
  it('has failed by the time of its provider, whatever others take; it is slow unless that is sooner than they answer', () => {
    expect(judge(failed('GLZ2003'), time(50))).toMatchObject({ verdict: 'failed', slow: true });
    expect(judge(failed('GLZ2003'), time(50, 50))).toMatchObject({ verdict: 'failed', slow: true });
    expect(judge(failed('GLZ2003'), time(1, 50))).toMatchObject({ verdict: 'failed', slow: false });
  });
});

describe.each(['timeout', 'total_timeout'])('a call that ended with the %s of its task', (field) => {
  const late = (ms: number, usual: number | null, own = usual) =>
    judge(failed('GLZ2003', { field }), time(ms, usual, own));

  it.each([
    ['a moment, and nothing is known', 999, null, 'nothing', false],
    ['a fair time, and nothing is known', 1000, null, 'failed', true],
    ['less than calls take', 39, 40, 'nothing', false],
    ['longer than most', 40, 40, 'nothing', true],
    ['almost long enough', 119, 40, 'nothing', true],
    ['several times what calls take', 120, 40, 'failed', true],
    ['several times almost nothing', 99, 1, 'nothing', true],
    ['long enough for whoever takes almost nothing', 100, 1, 'failed', true],
    ['a long time, but not for one that is slow', 14_999, 10_000, 'nothing', true],
    ['a long time for one that is slow', 15_000, 10_000, 'failed', true],
    ['almost half as much again as one takes that is very slow', 29_999, 20_000, 'nothing', true],
    ['half as much again as one takes that is very slow', 30_000, 20_000, 'failed', true],
  ] as const)('had %s', (_, ms, usual, verdict, slow) => {
    expect(late(ms, usual)).toMatchObject({ verdict, slow });
  });

  it('is held against nobody who is slower than others by what those take, nor is it forgotten', () => {
    expect(late(400, 40, 300)).toMatchObject({ verdict: 'nothing', slow: true });
    expect(late(900, 40, 300)).toMatchObject({ verdict: 'failed', slow: true });
    expect(late(120, 40, null)).toMatchObject({ verdict: 'failed', slow: true });
  });

  it('is no failure because its task says that it had most of its time', () => {
    expect(judge(failed('GLZ2003', { field, fault: 'provider' }), time(50))).toMatchObject({
      verdict: 'nothing',
    });
  });

  const some = fc.record({
    ms: fc.nat(60_000),
    usual: fc.option(fc.nat(30_000)),
    own: fc.option(fc.nat(30_000)),
  });

  it('is judged no better the longer it had', () => {
    const rank = { well: 0, nothing: 0, failed: 1 };
    fc.assert(
      fc.property(some, fc.nat(60_000), ({ ms, usual, own }, more) => {
        const [one, other] = [late(ms, usual, own), late(ms + more, usual, own)];
        expect(rank[other.verdict]).toBeGreaterThanOrEqual(rank[one.verdict]);
        expect(Number(other.slow)).toBeGreaterThanOrEqual(Number(one.slow));
      }),
    );
  });

  it('has not failed in less than its provider usually takes, nor in a moment', () => {
    fc.assert(
      fc.property(some, ({ ms, usual, own }) => {
        if (ms < Math.max(100, own ?? usual ?? 1000)) expect(late(ms, usual, own).verdict).toBe('nothing');
      }),
    );
  });
});
