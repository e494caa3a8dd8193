import { describe, expect, it } from 'vitest';
import { at, began, events, introduction, type Told } from './events.suite.ts';
import { Progress, type ProgressEvent } from './model.ts';
import { plainShower } from './plain.ts';
import { renderProgress } from './render.ts';
import { afterTelling, tailOf, tellingOf } from './told.ts';

const begun: readonly Told[] = [
  ['workflow:started', null, { name: 'report', total: 1 }],
  ['task:queued', 'sum', introduction('sum')],
  ['task:started', 'sum', { attempt: 1, started_at: at(200) }],
];
const sum = (data: object): Told => ['task:progress', 'sum', { attempt: 1, ...data }];

function lineOf(told: readonly Told[], columns = 80): string | undefined {
  const progress = new Progress();
  for (const event of events(told)) progress.take(event);
  const frame = { now: began + 2000, columns, rows: 24, colour: false, usual_ms: null, turn: 0 };
  return renderProgress(progress, frame).find((line) => line.includes('sum'));
}

describe('output without an end', () => {
  it('is remembered only as far as a line can show it', () => {
    let told = afterTelling(null, {});
    for (let n = 0; n < 100; n++) told = afterTelling(told, { text: `${n} `.repeat(100) });
    expect(told.text).toHaveLength(2000);
    expect(told.text?.endsWith('99 99 ')).toBe(true);
  });
});

describe('what a running task tells, in the tree', () => {
  const told = [
    ...begun,
    sum({ progress: 2, total: 5, message: 'adds up' }),
    sum({ text: 'first line\nand the last words of quite a long line of it' }),
  ];

  it('is how far it is and what it says, and the end of what it puts out where there is room', () => {
    expect(lineOf(told)).toBe(
      '  ⠋ sum  running     1.8 s     40%, adds up  …t words of quite a long line of it',
    );
    expect(lineOf(told, 60)).toBe('  ⠋ sum  running     1.8 s     40%, adds up  …ong line of it');
    expect(lineOf(told, 50)).toBe('  ⠋ sum  running     1.8 s     40%, adds up');
  });

  it('is gone when the attempt has ended', () => {
    for (const end of ['task:completed', 'task:failed', 'task:retrying', 'task:interrupted', 'task:started'])
      expect(lineOf([...told, [end, 'sum', { attempt: 1, error: { message: 'no' } }]])).not.toContain(
        'adds up',
      );
  });

  it.each([
    [{ progress: 3 }, '3'],
    [{ progress: 1, total: 3 }, '33%'],
    [{ progress: 7, total: 3 }, '7 of 3'],
    [{ message: 'only words' }, 'only words'],
    [{ total: 4 }, ''],
    [{ progress: '1', message: 7 }, ''],
  ])('is %j in words: %s', (data, words) => {
    expect(tellingOf(afterTelling(null, data))).toBe(words);
  });

  it('ends with the last line that says something, as far as it fits', () => {
    expect(tailOf('one\ntwo\n\n', 10)).toBe('two');
    expect(tailOf('日本語の文字', 7)).toBe('…の文字');
    expect(tailOf(null, 10)).toBe('');
  });
});

describe('what a running task tells, in lines', () => {
  it('is each message, every tenth part of the way, and output line by line', () => {
    let text = '';
    const progress = new Progress();
    const write = (piece: string) => {
      text += piece;
    };
    const shower = plainShower({ progress, write, now: () => began });
    const all: readonly ProgressEvent[] = events([
      ...begun,
      sum({ progress: 1, total: 100, message: 'begins' }),
      sum({ progress: 5 }),
      sum({ progress: 11, text: 'one\n\ntw' }),
      sum({ message: 'goes on' }),
      sum({ text: 'o\nthree' }),
      ['task:completed', 'sum', { attempt: 1 }],
    ]);
    for (const event of all) shower.took(event, progress.take(event));
    expect(text.split('\n').slice(2)).toEqual([
      '  0.3 s  sum: 1%, begins',
      '  0.5 s  sum: 11%, begins',
      '  0.5 s  sum: | one',
      '  0.6 s  sum: 11%, goes on',
      '  0.7 s  sum: | two',
      '  0.8 s  sum: | three',
      '  0.8 s  sum: completed, 0.6 s',
      '',
    ]);
  });
});
