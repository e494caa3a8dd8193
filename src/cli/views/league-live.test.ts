import { describe, expect, it } from 'vitest';
import { liveLeague } from './league-live.ts';

function opened(columns: number, rows: number) {
  const written: string[] = [];
  const screen = {
    tty: true,
    redraws: true,
    colour: false,
    columns,
    write: (text: string) => void written.push(text),
  };
  return { written, live: liveLeague({ screen, rows: () => rows, now: () => 0 }) };
}

function league(players: number, matches_completed = 1) {
  const standings = Array.from({ length: players }, (_, index) => ({
    ...{
      rank: index + 1,
      player_id: `P${index + 1}`,
      points: 3,
      wins: 1,
      draws: 0,
      losses: 0,
      matches_played: 1,
    },
  }));
  const about = { status: 'ACTIVE', game_type: 'even_odd', round_id: 'R1', matches: 28, matches_completed };
  return { ...about, standings, referees: 1, players };
}

/** What stands on a terminal in the end. */
function screenAfter(written: readonly string[]): string[] {
  const lines: string[] = [''];
  for (const text of written.flatMap((one) => one.split(/(?<=\n|\[J)/))) {
    const [, up] = /\[(\d+)A\r/.exec(text) ?? [];
    if (up !== undefined) lines.splice(-1 - Number(up), Number(up));
    else lines[lines.length - 1] += text.trimEnd();
    if (text.endsWith('\n')) lines.push('');
  }
  return lines;
}

describe('the table of a league that is played', () => {
  it('is drawn over itself, and taken away in the end', () => {
    const { live, written } = opened(80, 24);
    live.show(league(3, 1));
    live.show(league(4, 2));
    const [first, titles, ...rest] = screenAfter(written);
    expect(first).toBe('even_odd: round R1, 2 of 28 matches, P1 leads with 3 points');
    expect(titles).toMatch(/^RANK {2}PLAYER {2}POINTS/);
    expect(rest).toHaveLength(5);
    live.clear();
    expect(screenAfter(written)).toEqual(['']);
    live.clear();
    expect(written.at(-1)).toBe('');
  });

  it.each([10, 24])('is never higher than the window of %d rows, and says what is left out', (rows) => {
    const { live, written } = opened(80, rows);
    for (const done of [1, 2, 3]) live.show(league(100, done));
    const lines = screenAfter(written);
    expect(lines).toHaveLength(rows);
    expect(lines.at(-2)).toBe(`and ${100 - (rows - 4)} more`);
  });

  it('counts the rows that a long line takes in a narrow window', () => {
    const { live, written } = opened(30, 24);
    live.show(league(2, 1));
    live.show(league(2, 2));
    // The line about it takes two rows, the titles and the players one each.
    expect(written[1]?.startsWith('\x1b[5A\r')).toBe(true);
  });
});
