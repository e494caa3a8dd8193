import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleanLine, cleanText, isUnsafe } from './clean.ts';
import { jsonLine, yamlText } from './formats.ts';

const hostile = fc.string({
  unit: fc.constantFrom(
    'a',
    '\u001b',
    '\u009b',
    '\u0007',
    '\u007f',
    '\u202e',
    '\u2028',
    '[2J',
    '\n',
    '\t',
    '"',
    ': ',
    '\ud800',
  ),
});

describe('what could move a terminal', () => {
  it('is shown as a sign', () => {
    expect(cleanLine('a\u001b[31mred\u0007\r\nb\u009bX')).toBe('a␛[31mred␇ b\ufffdX');
    expect(cleanText('one\r\ntwo\ttabs\u001b')).toBe('one\ntwo\ttabs␛');
    expect(cleanLine('Ünïcödé 日本 👍')).toBe('Ünïcödé 日本 👍');
  });

  it('stays the same data as JSON and YAML, and reaches no terminal', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (key, value) => {
        const data = { [`k${key}`]: value.toWellFormed(), list: [value.toWellFormed()] };
        const safe = JSON.parse(JSON.stringify(data).replaceAll('\\ud800', '?'));
        const json = jsonLine(safe);
        expect(JSON.parse(json)).toEqual(safe);
        expect(isUnsafe(json.slice(0, -1))).toBe(false);
        const yaml = await yamlText(safe);
        expect(parse(yaml)).toEqual(safe);
        expect(isUnsafe(yaml.replaceAll(/[\n\t]/g, ''))).toBe(false);
      }),
    );
  });
});
