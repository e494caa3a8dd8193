import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnsafe } from '../output/clean.ts';
import { widthOf } from '../output/width.ts';
import { anyEvents, at, began, events, introduction, type Told } from './events.suite.ts';
import { chooseTasks } from './fold.ts';
import { jsonShower } from './json.ts';
import { liveShower } from './live.ts';
import { Progress, type ProgressEvent } from './model.ts';
import { plainShower } from './plain.ts';
import { type Frame, renderProgress } from './render.ts';
import type { Shower } from './shower.ts';
import { duration } from './words.ts';

function progressOf(all: readonly ProgressEvent[]): Progress {
  const progress = new Progress();
  for (const event of all) progress.take(event);
  return progress;
}

const frame: Frame = { now: began + 2000, columns: 80, rows: 24, colour: false, usual_ms: null, turn: 0 };

const story: readonly Told[] = [
  ['workflow:started', null, { name: 'report', total: 4 }],
  ['task:queued', 'fetch', introduction('fetch')],
  ['task:waiting', 'sum', introduction('sum', ['fetch'])],
  ['task:waiting', 'rate', introduction('rate', ['fetch'])],
  ['task:waiting', 'join', introduction('join', ['sum', 'rate'])],
  ['task:started', 'fetch', { attempt: 1, started_at: at(500) }],
  ['task:completed', 'fetch', { attempt: 1 }],
  ['task:queued', 'sum', { reason: 'dependencies_settled' }],
  ['task:queued', 'rate', { reason: 'dependencies_settled' }],
  ['task:started', 'sum', { attempt: 1, started_at: at(900) }],
  ['task:started', 'rate', { attempt: 1, started_at: at(900) }],
  ['task:retrying', 'rate', { attempt: 1, due_at: at(5000), error: { message: 'the service is busy' } }],
];

describe('renderProgress', () => {
  it('shows each task with its sign, word, time and what it waits for', () => {
    const progress = progressOf(events(story));
    progress.learn('t-rate', { max_attempts: 3 });
    expect(renderProgress(progress, frame)).toEqual([
      'report',
      '  ✓ fetch  completed   0.1 s',
      '  ⠋ sum    running     1.1 s',
      '  ↻ rate   retrying    1.1 s     attempt 1/3, again in 3 s, the service is busy',
      '  ○ join   waiting               for sum, rate',
      '1/4 tasks, 2.0 s',
    ]);
  });

  it('tells how long it will take, and when it takes longer', () => {
    const progress = progressOf(events(story));
    expect(renderProgress(progress, { ...frame, usual_ms: 3500 }).at(-1)).toBe(
      '1/4 tasks, 2.0 s, about 1.5 s left',
    );
    expect(renderProgress(progress, { ...frame, usual_ms: 500 }).at(-1)).toBe(
      '1/4 tasks, 2.0 s, longer than usual',
    );
  });

  it('folds what has no room: what runs and fails stays', () => {
    const many: Told[] = Array.from({ length: 50 }, (_, n) => [
      'task:queued',
      `q${n}`,
      introduction(`q${n}`),
    ]);
    const progress = progressOf(
      events([...story, ...many, ['task:failed', 'q7', { attempt: 3, error: { message: 'no' } }]]),
    );
    const lines = renderProgress(progress, { ...frame, rows: 10 });
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.some((line) => line.includes('✗ q7'))).toBe(true);
    expect(lines.some((line) => line.includes('sum'))).toBe(true);
    expect(lines.at(-2)).toMatch(/… 4\d more: /);
  });

  it('fits whatever it is told, at every width, without a character that a terminal obeys', () => {
    fc.assert(
      fc.property(
        anyEvents,
        fc.constantFrom(80, 120, 40, 12, 3, 1),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        (told, columns, rows, colour) => {
          const lines = renderProgress(progressOf(told), { ...frame, columns, rows, colour });
          expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 3));
          for (const line of lines) {
            const plain = colour ? stripVTControlCharacters(line) : line;
            expect(isUnsafe(plain)).toBe(false);
            expect(widthOf(plain)).toBeLessThanOrEqual(columns);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('Progress', () => {
  it('is the same for events that come twice, or in two pieces', () => {
    fc.assert(
      fc.property(anyEvents, fc.nat({ max: 120 }), (told, cut) => {
        const whole = progressOf(told);
        const again = progressOf([...told.slice(0, cut), ...told]);
        expect([again.tasks, again.status, again.cursor]).toEqual([whole.tasks, whole.status, whole.cursor]);
      }),
    );
  });

  it('opens a run that ended and was opened again', () => {
    const progress = progressOf(
      events([
        ...story,
        ['workflow:failed', null, { failed: 1 }],
        ['workflow:reopened', null, { task_id: 't-rate' }],
      ]),
    );
    expect([progress.status, progress.settled, progress.ended_at]).toEqual(['running', false, null]);
  });

  it('counts the time of a task from its first attempt', () => {
    const again: Told = ['task:started', 'rate', { attempt: 2, started_at: at(5000) }];
    const progress = progressOf(events([...story, again]));
    expect(progress.task('t-rate')).toMatchObject({ attempt: 2, started_at: began + 900 });
  });

  it('names whose fault it is that a task was skipped', () => {
    const progress = progressOf(events([...story, ['task:skipped', 'join', { because: 't-rate' }]]));
    expect(progress.task('t-join')).toMatchObject({ status: 'skipped', because: 'rate' });
  });
});

describe('chooseTasks', () => {
  it('leaves out as few as it can and counts every one it leaves out', () => {
    fc.assert(
      fc.property(anyEvents, fc.integer({ min: 1, max: 20 }), (told, rows) => {
        const { tasks } = progressOf(told);
        const { shown, folded } = chooseTasks(tasks, rows);
        const left = folded === null ? 0 : Number(/^\d+/.exec(folded)?.[0]);
        expect(shown.length + left).toBe(tasks.length);
        expect(shown.length + (folded === null ? 0 : 1)).toBe(Math.min(tasks.length, rows));
        expect(shown).toEqual(tasks.filter((task) => shown.includes(task)));
      }),
    );
  });
});

function shownBy(
  make: (parts: { progress: Progress; write: (text: string) => void; now: () => number }) => Shower,
) {
  let text = '';
  const progress = new Progress();
  const write = (piece: string) => {
    text += piece;
  };
  const shower = make({ progress, write, now: () => began + 2000 });
  const tell = (told: readonly ProgressEvent[]) => {
    for (const event of told) shower.took(event, progress.take(event));
  };
  return { shower, progress, tell, text: () => text };
}

describe('plainShower', () => {
  it('tells each change in a line', () => {
    const { tell, text, shower, progress } = shownBy(plainShower);
    tell(events([...story, ['workflow:completed', null]]));
    progress.learn('t-join', { waits: 'no provider serves p/v1' });
    const join = progress.task('t-join');
    if (join !== undefined) shower.noted(join);
    expect(text().split('\n')).toEqual([
      '  0.0 s  report: started, 4 tasks, run w',
      '  0.5 s  fetch: running',
      '  0.6 s  fetch: completed, 0.1 s',
      '  0.9 s  sum: running',
      '  1.0 s  rate: running',
      '  1.1 s  rate: retrying, attempt 1, again in 4 s, the service is busy',
      '  1.2 s  report: completed',
      '  2.0 s  join: waiting, no provider serves p/v1',
      '',
    ]);
  });

  it('writes whole lines of safe characters, whatever it is told', () => {
    fc.assert(
      fc.property(anyEvents, (told) => {
        const { tell, text } = shownBy(plainShower);
        tell(told);
        const lines = text().split('\n');
        expect(lines.pop()).toBe('');
        for (const line of lines) expect(isUnsafe(line)).toBe(false);
      }),
    );
  });
});

describe('jsonShower', () => {
  it('begins with its version, tells every event, and ends with the status', () => {
    const { tell, text, shower } = shownBy(jsonShower);
    const told = events(story);
    tell(told);
    shower.say('a word\n');
    shower.end();
    const lines = text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ type: 'version', version: 1 });
    expect(lines.slice(1, -2)).toEqual(told.map((event) => ({ type: 'event', ...event })));
    expect(lines.slice(-2)).toEqual([
      { type: 'message', message: 'a word' },
      { type: 'end', status: 'running' },
    ]);
  });
});

/** A terminal that knows as much as the tree needs: lines, and going back up to clear. */
function screenOf(text: string): string[] {
  const lines = [''];
  let row = 0;
  for (const [piece] of text.replaceAll('\x1b', '§').matchAll(/§\[\d*[AJ]|\r|\n|[^§\r\n]+/g)) {
    const up = /^§\[(\d+)A$/.exec(piece);
    if (up !== null) row -= Number(up[1]);
    else if (piece === '§[J') lines.splice(row, lines.length, '');
    else if (piece === '\n') lines[++row] ??= '';
    else if (piece !== '\r') lines[row] = piece;
  }
  return lines;
}

describe('liveShower', () => {
  const live = () => {
    let draw = () => {};
    const made = shownBy((parts) =>
      liveShower({
        ...parts,
        colour: false,
        columns: () => 80,
        rows: () => 24,
        usual_ms: () => null,
        every: (_, call) => {
          draw = call;
          return () => {};
        },
      }),
    );
    return { ...made, draw: () => draw() };
  };

  it('draws over itself, keeps what is said above, and leaves the last frame', () => {
    const { tell, text, draw, shower } = live();
    const told = events(story);
    tell(told.slice(0, 4));
    draw();
    tell(told.slice(4));
    draw();
    shower.say('a word from the log\n');
    draw();
    shower.end();
    expect(screenOf(text())).toEqual([
      'a word from the log',
      'report',
      '  ✓ fetch  completed   0.1 s',
      '  ⠹ sum    running     1.1 s'.replace('⠹', screenOf(text())[3]?.[2] ?? ''),
      '  ↻ rate   retrying    1.1 s     attempt 1, again in 3 s, the service is busy',
      '  ○ join   waiting               for sum, rate',
      '1/4 tasks, 2.0 s',
      '',
    ]);
  });
});

describe('duration', () => {
  it.each([
    [-5, '0.0 s'],
    [340, '0.3 s'],
    [9940, '9.9 s'],
    [9960, '10 s'],
    [59_400, '59 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
  ])('%s ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
