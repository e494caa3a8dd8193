import { describe, expect, it } from 'vitest';
import { PROGRESS_TAIL } from './limits.ts';
import { headOf, progressed, withoutProgress } from './progress.ts';
import type { AttemptRecord } from './records.ts';

const ended: AttemptRecord = { attempt: 1, started_at: 1, ended_at: 2, provider: 'p', error: null };
const running: AttemptRecord = { attempt: 2, started_at: 3, ended_at: null, provider: 'p', error: null };

describe('what an attempt tells', () => {
  it('belongs to the one that runs', () => {
    const shown = { progress: 1, total: 2, message: 'm', text: 't', at: 9 };
    expect(progressed([ended, running], { progress: 1, total: 2, message: 'm', text: 't' }, 9)).toEqual([
      ended,
      { ...running, progress: shown },
    ]);
  });

  it('stays until something else is told, and text is added to', () => {
    const once = progressed([running], { progress: 1, message: 'm', text: 'a' }, 1);
    const twice = progressed(once, { total: 5, text: 'b' }, 2);
    expect(twice[0]?.progress).toEqual({ progress: 1, total: 5, message: 'm', text: 'ab', at: 2 });
    expect(progressed(twice, { progress: 0, message: '' }, 3)[0]?.progress).toEqual({
      progress: 0,
      total: 5,
      message: '',
      text: 'ab',
      at: 3,
    });
  });

  it('is the end of a long text, with no half character at its beginning', () => {
    const tail = (text: string) => progressed([running], { text }, 1)[0]?.progress?.text;
    expect(tail('x'.repeat(PROGRESS_TAIL + 5))).toHaveLength(PROGRESS_TAIL);
    expect(tail(`😀${'x'.repeat(PROGRESS_TAIL - 1)}`)).toBe('x'.repeat(PROGRESS_TAIL - 1));
  });

  it('is gone when it ends', () => {
    const [told] = progressed([running], { progress: 1 }, 1);
    expect(withoutProgress(told ?? ended)).toEqual(running);
    expect(withoutProgress(ended)).toBe(ended);
  });
});

describe('the beginning of a text', () => {
  it('has no half character at its end', () => {
    expect([headOf('abc', 3), headOf('abc', 2), headOf('a😀b', 2), headOf('a😀b', 3)]).toEqual([
      'abc',
      'ab',
      'a',
      'a😀',
    ]);
  });
});
