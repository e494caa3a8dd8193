import { describe, expect, it } from 'vitest';
import type { LogLevel } from './logger.ts';
import { Redaction } from './redaction.ts';
import { textLogger } from './text-logger.ts';

function setUp(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const redaction = new Redaction();
  redaction.add(['hunter2']);
  const stream = { write: (line: string) => void lines.push(line) };
  return { lines, logger: textLogger({ level, stream, redaction, now: () => 3_723_004 }) };
}

describe('the log for people', () => {
  it('is a line with its fields behind the message', () => {
    const { lines, logger } = setUp();
    logger.warn('slow', { task_id: 't-1', ms: 12, error: 'no way', missing: undefined, deep: { a: [1] } });
    expect(lines).toEqual([
      '01:02:03.004 warn  slow  task_id=t-1  ms=12  error="no way"  missing=undefined  deep={"a":[1]}\n',
    ]);
  });

  it('has lines that can be read, whatever a field holds', () => {
    const { lines, logger } = setUp();
    logger.error('too much', { data: Array.from({ length: 60 }, () => 'x'.repeat(4000)) });
    expect(lines[0]?.length).toBeLessThan(9000);
    expect(lines[0]).toMatch(/ … \(\d{6} characters\)\n$/);
  });

  it('starts at its level', () => {
    for (const [level, count] of [
      ['debug', 4],
      ['warn', 2],
      ['silent', 0],
    ] as const) {
      const { lines, logger } = setUp(level);
      for (const name of ['debug', 'info', 'warn', 'error'] as const) logger[name]('m');
      expect(lines).toHaveLength(count);
    }
  });

  it('shows no secret, and lets nobody write lines of his own', () => {
    const { lines, logger } = setUp();
    logger.info('said hunter2\n01:02:03.004 error forged\u001b[31m', { token: 'x', text: 'a\nb\u009b' });
    expect(lines).toEqual([
      '01:02:03.004 info  said [secret]\\x0a01:02:03.004 error forged\\x1b[31m  token="[secret]"  text="a\\nb\\x9b"\n',
    ]);
  });
});
