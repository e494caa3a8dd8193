import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { jsonLogger } from './json-logger.ts';
import { type LogLevel, withFields } from './logger.ts';
import { Redaction } from './redaction.ts';

function setUp(level: LogLevel = 'debug', secrets: readonly string[] = []) {
  const lines: string[] = [];
  const redaction = new Redaction();
  redaction.add(secrets);
  const stream = { write: (line: string) => void lines.push(line) };
  const logger = jsonLogger({ level, stream, redaction, now: () => 0 });
  return { logger, lines, redaction, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

describe('the log of a server', () => {
  it('is one JSON object a line', () => {
    const { logger, lines } = setUp();
    logger.info('started\nand how', { port: 8080, deep: { a: ['x'] } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(JSON.parse(String(lines[0]))).toEqual({
      level: 'info',
      at: '1970-01-01T00:00:00.000Z',
      port: 8080,
      deep: { a: ['x'] },
      message: 'started\nand how',
    });
  });

  it.each<[LogLevel, number]>([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ])('at level %s has %d of four lines', (level, expected) => {
    const { logger, lines } = setUp(level);
    for (const name of ['debug', 'info', 'warn', 'error'] as const) logger[name]('m');
    expect(lines).toHaveLength(expected);
  });

  it('keeps time, level and message, whatever a field is called', () => {
    const { logger, last, lines } = setUp();
    logger.error('real %s', { message: 'fake', level: 'debug', at: 'never', code: 'GLZ1001' });
    expect(last()).toEqual({
      level: 'error',
      at: '1970-01-01T00:00:00.000Z',
      code: 'GLZ1001',
      message: 'real %s',
    });
    expect(lines[0]?.match(/"message"/g)).toHaveLength(1);
  });

  it('carries the fields of whoever it was made for', () => {
    const { logger, last } = setUp();
    withFields(withFields(logger, { request_id: 'r1' }), { task_id: 't1' }).warn('odd', { task_id: 't2' });
    expect(last()).toMatchObject({ request_id: 'r1', task_id: 't2', message: 'odd' });
  });

  it('never throws because of what it is given', () => {
    const { logger, lines, last } = setUp();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    const odd = {
      cycle,
      big: 10n,
      f: () => {},
      s: Symbol('x'),
      bytes: new Uint8Array(3),
      hostile,
      day: new Date(0),
    };
    logger.error('odd', odd);
    expect(last()).toMatchObject({ big: '10', bytes: '[3 bytes]', hostile: '[unreadable]' });
    expect(lines).toHaveLength(1);
  });

  it('is bounded, whatever it is given', () => {
    const { logger, lines } = setUp();
    const list = Array.from({ length: 1000 }, () => 'x'.repeat(10_000));
    logger.error('y'.repeat(100_000), { list });
    expect(String(lines[0]).length).toBeLessThan(300_000);
    expect(lines[0]).toContain('936 more');
  });
});

describe('redaction', () => {
  it.each([
    'authorization',
    'Authorization',
    'x-api-key',
    'api_key',
    'apiKey',
    'token',
    'access_token',
    'password',
    'client_secret',
    'cookie',
    'Set-Cookie',
    'secrets',
  ])('masks the field %s at any depth', (key) => {
    const { logger, lines } = setUp();
    logger.info('m', { [key]: 'hunter2', deep: { list: [{ [key]: { inner: 'hunter2' } }] } });
    expect(lines[0]).not.toContain('hunter2');
    expect(lines[0]?.match(/\[secret\]/g)).toHaveLength(2);
  });

  it('leaves what only sounds like one', () => {
    const { logger, last } = setUp();
    const fields = { max_tokens: 100, has_password: true, token_count: 5, secret: null, tokenizer: 'fast' };
    logger.info('m', fields);
    expect(last()).toMatchObject(fields);
  });

  it('masks registered values wherever they stand, also in errors, keys, addresses and messages', () => {
    const { logger, lines, redaction } = setUp('debug', ['hunter2/"x', '12345']);
    redaction.add(['later-known', 'abc', 'half\ud800']);
    const cause = new GleitzeitError('GLZ2002', 'no way to hunter2/"x', { hint: 'later-known' });
    logger.error('saw hunter2/"x', {
      url: `http://h/?k=${encodeURIComponent('hunter2/"x')}`,
      error: new Error('outer', { cause }),
      'key later-known': 1,
      quoted: JSON.stringify({ a: 'hunter2/"x' }),
      number: 123456,
      short: 'abc',
    });
    for (const secret of ['hunter2', 'later-known', '12345']) expect(lines[0]).not.toContain(secret);
    expect(JSON.parse(String(lines[0]))).toMatchObject({ number: '[secret]', short: 'abc' });
  });

  it('leaves no registered secret in any line, and every line is JSON', () => {
    const secret = fc.string({
      minLength: 4,
      maxLength: 12,
      unit: fc.constantFrom('a', 'b', '"', '\\', '/', '1'),
    });
    fc.assert(
      fc.property(secret, fc.string(), fc.jsonValue(), (hidden, around, value) => {
        const { logger, lines } = setUp('debug', [hidden]);
        logger.info(around + hidden, { value, list: [hidden + around, { [hidden]: hidden }] });
        const parsed = JSON.parse(String(lines[0])) as Record<string, unknown>;
        expect(textsOf(parsed).filter((text) => text.includes(hidden))).toEqual([]);
      }),
    );
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
