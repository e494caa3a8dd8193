import { describe, expect, it } from 'vitest';
import { lastProvider, waitOf, withNext, withOutside, withoutLeft } from './outside.ts';
import type { AttemptRecord } from './records.ts';

const attempt: AttemptRecord = { attempt: 1, started_at: 1, ended_at: 2, provider: 'p', error: null };
const wait = { kind: 'input', ask: 'q', until: null, late: 'fail', token: null, answer: null } as const;
const kept = { provider: 'p', hash: '#1', text: '1' };

describe('what a task waits for', () => {
  it('is what its last attempt asked, once that has ended', () => {
    const attempts = [{ ...attempt, outside: { wait } }];
    expect(waitOf({ status: 'input_required', attempts })).toEqual({ attempt: 1, wait });
    expect(waitOf({ status: 'executing', attempts })).toEqual({ attempt: 1, wait });
    expect(waitOf({ status: 'queued', attempts })).toBeNull();
    expect(waitOf({ status: 'executing', attempts: [{ ...attempt, ended_at: null }] })).toBeNull();
    expect(waitOf({ status: 'executing', attempts: [attempt] })).toBeNull();
    expect(waitOf({ status: 'executing', attempts: [] })).toBeNull();
  });
});

describe('attempts', () => {
  const first: AttemptRecord = { ...attempt, outside: { kept, wait } };
  const second: AttemptRecord = { ...attempt, attempt: 2, ended_at: null };

  it('hand on what is left, and keep that they waited', () => {
    const closed = { ...attempt, outside: { wait: { ...wait, ask: null } } };
    expect(withNext([first], second)).toEqual([closed, { ...second, outside: { kept } }]);
    expect(withNext<AttemptRecord>([{ ...attempt, outside: { wait } }], second)).toEqual([closed, second]);
    expect(withNext<AttemptRecord>([{ ...attempt, outside: { kept } }], second)[0]).toEqual(attempt);
    expect(withNext([attempt], second)).toEqual([attempt, second]);
    expect(withNext([], second)).toEqual([second]);
  });

  it('leave nothing behind where the last one ended by itself', () => {
    expect(withoutLeft([{ ...attempt, outside: { kept } }])).toEqual([attempt]);
    const list = [first, attempt];
    expect(withoutLeft(list)).toBe(list);
    expect(withoutLeft([])).toEqual([]);
  });

  it('are changed in the last one only', () => {
    expect(withOutside([attempt, second], (outside) => ({ ...outside, kept }))).toEqual([
      attempt,
      { ...second, outside: { kept } },
    ]);
  });

  it('name the provider of the last one', () => {
    expect(lastProvider([attempt])).toBe('p');
    expect(lastProvider([])).toBeNull();
  });
});
