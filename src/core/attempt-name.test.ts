import { describe, expect, it } from 'vitest';
import { correlationId, readCorrelationId } from './attempt-name.ts';

describe('the name of an attempt', () => {
  it('is read as it was written', () => {
    const first = { task_id: '0190a0b0-0000-7000-8000-000000000001', generation: 0, attempt: 3 };
    expect(correlationId(first)).toBe('0190a0b0-0000-7000-8000-000000000001/3');
    expect(readCorrelationId(correlationId(first))).toEqual(first);
    const reopened = { ...first, generation: 2 };
    expect(correlationId(reopened)).toBe('0190a0b0-0000-7000-8000-000000000001/3.2');
    expect(readCorrelationId(correlationId(reopened))).toEqual(reopened);
  });

  it.each(['', 'a', 'a/', '/1', 'a/0', 'a/1.0', 'a/1.', 'a/1.2.3', 'a/b/1', 'a/-1', 'a/12345678901', 'a/1 '])(
    'is not %j',
    (text) => expect(readCorrelationId(text)).toBeNull(),
  );
});
