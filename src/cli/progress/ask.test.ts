import { describe, expect, it } from 'vitest';
import { askText } from './ask.ts';
import { Progress } from './model.ts';
import { plainShower } from './plain.ts';
import { remarkOf } from './words.ts';

describe('what a task asks', () => {
  it.each([
    ['which one?', 'which one?'],
    [{ text: ' a\n b ' }, 'a b'],
    [{ question: 'why?', text: '' }, 'why?'],
    [{ choices: [1, 2] }, '{"choices":[1,2]}'],
    [['a'], '["a"]'],
    [null, ''],
    [undefined, ''],
    [3, '3'],
  ])('%j is shown as %j', (ask, text) => {
    expect(askText(ask)).toBe(text);
  });

  it('is cut where it is long', () => {
    expect(askText('x'.repeat(1000))).toHaveLength(300);
  });
});

describe('a task that asks', () => {
  const at = '2026-01-05T09:30:00.000Z';
  const event = (cursor: number, name: string, data: object) => ({
    ...{ cursor, event: name, at, task_id: 't1', workflow_id: 'w', data },
  });
  const task = { id: 'pick', name: 'pick', protocol: 'p/v1', method: 'm', dependencies: [] };
  const events = [
    event(1, 'task:queued', { reason: 'submitted', task }),
    event(2, 'task:started', { attempt: 1, started_at: at }),
    event(3, 'task:progress', { attempt: 1, message: 'looks' }),
    event(4, 'task:kept', { attempt: 1, kept_hash: 'h' }),
    event(5, 'task:input_required', { attempt: 1, kind: 'input', ask: 'which?', until: null, late: 'fail' }),
    event(6, 'task:responded', { attempt: 1, response_hash: 'h' }),
    event(7, 'task:queued', { reason: 'responded' }),
  ];

  it('is followed from question to answer', () => {
    const progress = new Progress();
    const seen = events.map((one) => {
      const now = progress.take(one);
      return now === null ? '' : `${now.status}: ${remarkOf(now, progress, 0)}`;
    });
    expect(seen.slice(2)).toEqual([
      'executing: looks',
      'executing: looks',
      'input_required: which?',
      'input_required: which?',
      'queued: ',
    ]);
  });

  it('is told in one line with the way to answer', () => {
    const progress = new Progress();
    const lines: string[] = [];
    const shower = plainShower({ progress, write: (line) => void lines.push(line), now: () => 0 });
    for (const one of events) shower.took(one, progress.take(one));
    expect(lines.map((line) => line.trim())).toEqual([
      '0.0 s  pick: running',
      '0.0 s  pick: looks',
      '0.0 s  pick: needs input, which?, gleitzeit respond t1 <answer>',
    ]);
  });
});
