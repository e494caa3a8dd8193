import { describe, expect, it } from 'vitest';
import { classOf } from '../../core/errors.ts';
import type { ProgramEnd } from '../../rpc/program/program.ts';
import { answerFrom, type Meaning, type Output } from './answer.ts';

const meaning: Meaning = {
  program: 'tool',
  output: 'json',
  ok: [0, 3],
  retry: [75],
  otherwise: 'rejected',
  limits: { max_output: 10, max_memory: 20 },
};

const exit = (code: number, output = '', stderr = ''): ProgramEnd => ({
  how: 'exit',
  code,
  output: Buffer.from(output, 'latin1'),
  stderr,
});

function failure(end: ProgramEnd, changed: Partial<Meaning> = {}) {
  const answer = answerFrom(end, { ...meaning, ...changed });
  if (answer.word !== 'failed') throw new Error(`not failed: ${JSON.stringify(answer)}`);
  return { ...answer.error, class: classOf(answer.error) };
}

describe('what a program printed', () => {
  it.each<[Output, string, unknown]>([
    ['json', ' {"a": [1, 2]}\n', { a: [1, 2] }],
    ['json', 'null', null],
    ['text', 'a\nb\n', 'a\nb'],
    ['text', '', ''],
    ['text', '{"a":1}\r\n', '{"a":1}'],
    ['lines', 'a\r\n\nb', ['a', '', 'b']],
    ['lines', '', []],
    ['jsonl', '{"a":1}\n\n2\n', [{ a: 1 }, 2]],
    ['none', 'whatever \xff', null],
  ])('as %s: %j', (output, printed, expected) => {
    const answer = answerFrom(exit(0, printed), { ...meaning, output });
    expect(answer.word === 'done' && JSON.parse(answer.result)).toEqual(expected);
  });

  it.each<[Output, string, string]>([
    ['json', '', 'is no JSON'],
    ['json', 'Hello', 'is no JSON'],
    ['json', '"\xff"', 'is no JSON'],
    ['json', '['.repeat(200), 'is nested deeper than 128 levels'],
    ['text', '\xff', 'is no UTF-8'],
    ['jsonl', '1\nx', 'is no JSON in line 2'],
  ])('as %s cannot be %j', (output, printed, reason) => {
    expect(failure(exit(3, printed), { output })).toMatchObject({
      class: 'rejected',
      message: `what tool printed ${reason}`,
      data: { error_code: 'GLZ2005' },
    });
  });
});

describe('how a program ended', () => {
  it('says whether it may be tried again', () => {
    expect(failure(exit(1)).class).toBe('rejected');
    expect(failure(exit(75)).class).toBe('server');
    expect(failure(exit(1), { otherwise: 'server' }).class).toBe('server');
    expect(failure({ how: 'signal', signal: 'SIGSEGV', stderr: '' }).class).toBe('transport');
    expect(failure({ how: 'too_much_output', stderr: '' }).data.error_code).toBe('GLZ2005');
    expect(failure({ how: 'too_much_memory', stderr: '' })).toMatchObject({
      class: 'rejected',
      message: 'tool took more than 20 bytes of memory',
    });
  });

  it('is told in the last words of its standard error', () => {
    expect(failure(exit(2, 'half', 'warning\nno such file: x\n'))).toMatchObject({
      message: 'tool ended with exit code 2: no such file: x',
      data: { reason: 'exit code 2', details: { exit_code: 2, stderr: 'warning\nno such file: x\n' } },
    });
  });

  it('is told better by an error as the last line it prints', () => {
    const said = { error: { message: 'no such city', retry_after_ms: 50, details: { city: 'x' } } };
    expect(failure(exit(75, `working\n${JSON.stringify(said)}\n`))).toMatchObject({
      message: 'no such city',
      data: { retry_after_ms: 50, details: { said: { city: 'x' } } },
    });
    for (const odd of ['{"error": "text"}', '{"error": {"message": 1}}', '[1]'])
      expect(failure(exit(1, odd)).message).toBe('tool ended with exit code 1');
  });
});
