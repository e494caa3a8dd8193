import { describe, expect, it } from 'vitest';
import { type LogLevel, lineLogger } from './logger.ts';

function setUp(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const logger = lineLogger(
    level,
    (line) => lines.push(line),
    () => new Date(0),
  );
  return { logger, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the log', () => {
  it('is one JSON object a line', () => {
    const { logger, lines } = setUp();
    logger.info('started', { port: 8080, deep: { a: ['x'] } });
    logger.warn('line\nbreak');
    expect(lines).toEqual([
      '{"at":"1970-01-01T00:00:00.000Z","level":"info","message":"started","port":8080,"deep":{"a":["x"]}}\n',
      '{"at":"1970-01-01T00:00:00.000Z","level":"warn","message":"line\\nbreak"}\n',
    ]);
  });

  it.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ])('at level %s has %j', (level, expected) => {
    const { logger, parsed } = setUp(level);
    for (const name of ['debug', 'info', 'warn', 'error'] as const) logger[name]('m');
    expect(parsed().map((line) => line['level'])).toEqual(expected);
  });

  it('keeps time, level and message, whatever a field is called', () => {
    const { logger, parsed } = setUp();
    logger.error('real', { message: 'fake', level: 'debug', at: 'never', code: 'GLZ1001' });
    expect(parsed()).toEqual([
      { at: '1970-01-01T00:00:00.000Z', level: 'error', message: 'real', code: 'GLZ1001' },
    ]);
  });

  it('never throws because of what it is given', () => {
    const { logger, parsed } = setUp();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    logger.error('odd', { cycle });
    logger.error('odd', { big: 10n });
    for (const line of parsed()) expect(line).toMatchObject({ level: 'error', message: 'odd' });
    expect(parsed()).toHaveLength(2);
  });
});
