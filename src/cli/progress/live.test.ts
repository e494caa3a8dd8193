import { describe, expect, it } from 'vitest';
import { createIo } from '../io.ts';
import { drawsTree, showerFor } from './choose.ts';
import { began, events, introduction, type Told } from './events.suite.ts';
import { liveShower } from './live.ts';
import { Progress } from './model.ts';

const ESC = '\u001b';

/** A run of so many tasks, all of which wait. */
function progressOf(tasks: number): Progress {
  const progress = new Progress();
  const queued = Array.from(
    { length: tasks },
    (_, n): Told => ['task:queued', `t${n}`, introduction(`t${n}`)],
  );
  for (const event of events([['workflow:started', null, { name: 'many', total: tasks }], ...queued]))
    progress.take(event);
  return progress;
}

function live(progress: Progress) {
  const written: string[] = [];
  const window = { columns: 80, rows: 10 };
  let frame: (() => void) | null = null;
  const shower = liveShower({
    progress,
    write: (text) => void written.push(text),
    now: () => began + 1000,
    colour: false,
    columns: () => window.columns,
    rows: () => window.rows,
    usual_ms: () => null,
    every: (_, call) => {
      frame = call;
      return () => {
        frame = null;
      };
    },
  });
  return { shower, window, written, draw: () => frame?.() };
}

/** How many rows up it goes before it draws. */
function rowsUp(text: string | undefined): number {
  return Number(text?.split(`${ESC}[`)[1]?.split('A')[0] ?? 0);
}

describe('a tree that is drawn over itself', () => {
  it('goes back over as many rows as the last frame takes now that the window is narrower', () => {
    const { draw, window, written } = live(progressOf(2));
    draw();
    draw();
    const widths =
      written[0]
        ?.trimEnd()
        .split('\n')
        .map(({ length }) => length) ?? [];
    expect(rowsUp(written[1])).toBe(widths.length);
    window.columns = 10;
    draw();
    const rows = widths.map((width) => Math.ceil(width / 10)).reduce((sum, one) => sum + one, 0);
    expect(rows).toBeGreaterThan(widths.length);
    expect(rowsUp(written[2])).toBe(rows);
  });

  it('stays within the window while it is drawn over, and is whole at the end', () => {
    const { draw, shower, written } = live(progressOf(40));
    draw();
    expect(written[0]?.trimEnd().split('\n').length).toBeLessThan(10);
    shower.end();
    for (let n = 0; n < 40; n++) expect(written[1]).toContain(`◌ t${n} `);
  });

  it('is not drawn any more after its end', () => {
    const { draw, shower, written } = live(progressOf(1));
    shower.end();
    draw();
    expect(written).toHaveLength(1);
  });
});

describe('a terminal', () => {
  const told = {
    fields: [],
    color: undefined,
    no_input: false,
    debug: false,
    stdin_tty: true,
    now: Date.now,
  };
  const on = (env: Record<string, string>, isTTY = true) => {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text), isTTY, columns: 80 };
    const { stderr } = createIo({ stdout: stream, stderr: stream, env, format: 'table', ...told });
    return { screen: stderr, text: () => written.join('') };
  };

  it('that is dumb is sent no tree, not even where one is asked for', () => {
    const { screen, text } = on({ TERM: 'dumb' });
    expect([drawsTree('auto', screen), drawsTree('tree', screen)]).toEqual([false, false]);
    const progress = new Progress();
    const shower = showerFor(progress, { kind: 'tree', screen, now: () => began, usual_ms: () => null });
    for (const event of events([['workflow:started', null, { name: 'one', total: 1 }]]))
      shower.took(event, progress.take(event));
    shower.end();
    expect(text()).toBe('  0.0 s  one: started, 1 task, run w\n');
  });

  it('without colours is still drawn over', () => {
    const { screen, text } = on({ TERM: 'xterm', NO_COLOR: '1' });
    expect(drawsTree('auto', screen)).toBe(true);
    const shown = { kind: 'auto', screen, now: () => began, usual_ms: () => null } as const;
    const shower = showerFor(progressOf(1), shown);
    shower.say('a word');
    shower.end();
    expect(text()).toContain(`${ESC}[3A\r${ESC}[J`);
    expect(
      text()
        .split(ESC)
        .slice(1)
        .filter((rest) => /^\[[\d;]*m/.test(rest)),
    ).toEqual([]);
  });

  it('is needed, unless a tree is asked for', () => {
    const { screen } = on({ TERM: 'xterm' }, false);
    expect([drawsTree('auto', screen), drawsTree('tree', screen)]).toEqual([false, true]);
  });
});
