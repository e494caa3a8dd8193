import { describe, expect, it } from 'vitest';
import { shownKeys } from './shown-keys.ts';

const cipher = { mark: (text: string) => `mark-${text.length}` };

describe('what a call is told apart by', () => {
  it('is shown as it is, unless a secret of the call stands there', () => {
    expect(shownKeys([], cipher)).toEqual({});
    const { shown } = shownKeys(['top-secret', '7'], cipher);
    expect(['ada', 'top-secret', '{"id":"top-secret"}', '7'].map((text) => shown?.(text))).toEqual([
      'ada',
      '[secret] mark-10',
      '[secret] mark-19',
      '[secret] mark-1',
    ]);
  });
});
