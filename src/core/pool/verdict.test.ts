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
const time = (ms: number, usual: number | null = null): CallTime => ({ ms, usual_ms: () => usual });
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
    ['GLZ2001', undefined, 0],
    ['GLZ2001', 700, 700],
    ['GLZ2010', 700, 0],
  ] as const)('asks to be left alone: %s, %s', (code, retry_after_ms, pause_ms) => {
    const details = retry_after_ms === undefined ? {} : { retry_after_ms };
    expect(judge(failed(code, details)).pause_ms).toBe(pause_ms);
  });

  it('may ask to be left alone until its credentials are right', () => {
    expect(judge(failed('GLZ2010', { fault: 'provider', retry_after_ms: 9 })).pause_ms).toBe(9);
    expect(judge(failed('GLZ2010', { fault: 'provider' })).pause_ms).toBe(0);
  });
});

describe('a call that took too long', () => {
  it('is slow, unless a service said so sooner than others answer', () => {
    expect(judge(failed('GLZ2003'), time(50))).toMatchObject({ verdict: 'failed', slow: true });
    expect(judge(failed('GLZ2003'), time(50, 50))).toMatchObject({ verdict: 'failed', slow: true });
    expect(judge(failed('GLZ2003'), time(1, 50))).toMatchObject({ verdict: 'failed', slow: false });
  });
});

describe('a call that ended with the time of its task', () => {
  const late = (ms: number, usual: number | null, details: ErrorDetails = {}) =>
    judge(failed('GLZ2003', { field: 'total_timeout', ...details }), time(ms, usual));

  it.each([
    ['it had a moment', 400, null, 'nothing', false],
    ['less than calls take', 39, 40, 'nothing', false],
    ['longer than most', 40, 40, 'nothing', true],
    ['almost long enough', 199, 40, 'nothing', true],
    ['many times what calls take', 200, 40, 'failed', true],
    ['many times almost nothing', 99, 1, 'nothing', true],
    ['long enough for whoever takes almost nothing', 100, 1, 'failed', true],
  ] as const)('%s', (_, ms, usual, verdict, slow) => {
    expect(late(ms, usual)).toMatchObject({ verdict, slow });
  });

  it('has failed where it had most of what an attempt may take', () => {
    expect(late(20_000, null, { fault: 'provider' })).toMatchObject({ verdict: 'failed', slow: true });
  });

  it('is judged no better the longer it had', () => {
    const some = fc.record({ ms: fc.nat(5000), more: fc.nat(5000), usual: fc.option(fc.nat(1000)) });
    const rank = { well: 0, nothing: 0, failed: 1 };
    fc.assert(
      fc.property(some, ({ ms, more, usual }) => {
        const [one, other] = [late(ms, usual), late(ms + more, usual)];
        expect(rank[other.verdict]).toBeGreaterThanOrEqual(rank[one.verdict]);
        expect(Number(other.slow)).toBeGreaterThanOrEqual(Number(one.slow));
      }),
    );
  });
});
