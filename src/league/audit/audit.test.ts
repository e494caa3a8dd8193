import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, MatchResult } from '../manager/facts.ts';
import { makeSchedule } from '../rules/schedule.ts';
import { standingsOf } from '../rules/standings.ts';
import { beginning, type ChainEnd, type Entry, nextLine } from './line.ts';
import { replay } from './replay.ts';
import { verify } from './verify.ts';

function written(entries: readonly Entry[]): string[] {
  let end: ChainEnd = beginning;
  return entries.map((entry, index) => {
    const line = nextLine(end, entry, 1000 * index);
    end = line;
    return line.text;
  });
}

const facts = (...given: readonly Fact[]): Entry[] => given.map((fact) => ({ kind: 'fact', fact }));

const players = ['A', 'B'];
const rounds = makeSchedule({ players, referees: ['R'], seed: 's' });
const [first, second] = rounds[0]?.matches[0]?.players ?? ['', ''];
const result: MatchResult = {
  ...{ match_id: 'R1M1', round_id: 'R1', players: [first, second], by: 'R' },
  ...{ outcome: { [first]: 'win', [second]: 'loss' }, points: { [first]: 3, [second]: 0 } },
};
const endpoint_url = 'http://127.0.0.1:1/mcp';
const standings = standingsOf(players, [result]);
const rules = { league_id: 'L', game_type: 'even_odd', seed: 's', games: {} };

const played: readonly Fact[] = [
  { fact: 'league_opened', rules },
  { fact: 'agent_registered', kind: 'referee', id: 'R', endpoint_url },
  { fact: 'agent_registered', kind: 'player', id: 'A', endpoint_url },
  { fact: 'agent_registered', kind: 'player', id: 'B', endpoint_url },
  { fact: 'league_started' },
  { fact: 'schedule_made', rounds },
  { fact: 'round_opened', round_id: 'R1' },
  { fact: 'match_assigned', match_id: 'R1M1', referee_id: 'R', assignment: 1 },
  { fact: 'result_accepted', result },
  { fact: 'round_completed', round_id: 'R1', at: '2026-01-31T10:00:00.000Z', standings },
  { fact: 'league_completed' },
];
const whole = written(facts(...played));

describe('the chain', () => {
  it('is intact as it was written', async () => {
    expect(await verify(whole)).toMatchObject({ intact: true, lines: played.length });
    expect(await verify([])).toMatchObject({ intact: true, lines: 0 });
  });

  it('breaks at the line of which one byte is changed, removed or added', async () => {
    const text = whole.join('\n');
    const place = fc.nat(text.length - 1);
    const change = fc.constantFrom('replace', 'remove', 'insert');
    await fc.assert(
      fc.asyncProperty(place, change, fc.integer({ min: 32, max: 126 }), async (at, how, code) => {
        const byte = String.fromCharCode(code);
        fc.pre(how !== 'replace' || text[at] !== byte);
        const kept = how === 'insert' ? text.slice(at) : text.slice(at + 1);
        const changed = `${text.slice(0, at)}${how === 'remove' ? '' : byte}${kept}`;
        fc.pre(changed !== text);
        const found = await verify(changed.split('\n'));
        const line = text.slice(0, at).split('\n').length;
        expect(found.intact).toBe(false);
        if (!found.intact) expect(found.line).toBeLessThanOrEqual(line + 1);
      }),
    );
  });

  it('breaks where a line is missing, or two have changed places', async () => {
    const [a = '', b = '', ...rest] = whole;
    expect(await verify([a, ...rest])).toMatchObject({ intact: false, line: 2 });
    expect(await verify([b, a, ...rest])).toMatchObject({ intact: false, line: 1 });
  });

  it('holds no token, wherever it stands in a message', () => {
    const auth_token = 'secret-token';
    const message = {
      params: { envelope: { auth_token, note: `my ${auth_token}` }, payload: { match_token: 'other-one' } },
    };
    const [line = ''] = written([{ kind: 'message', direction: 'in', peer: 'player:A', message }]);
    expect(line).not.toContain(auth_token);
    expect(line).not.toContain('other-one');
    expect(line).toContain('[redacted]');
  });

  it('tells of a message that is too large by its size', () => {
    const message = { payload: 'x'.repeat(100_000) };
    const [line = ''] = written([{ kind: 'message', direction: 'in', peer: 'player:A', message }]);
    expect(line.length).toBeLessThan(1000);
  });
});

describe('a replay', () => {
  it('comes to the same', async () => {
    const again = await replay(whole);
    expect(again).toEqual({
      ...{ intact: true, league_id: 'L', status: 'COMPLETED', lines: played.length, schedule: rounds },
      ...{ results: [result], standings, differences: [] },
    });
  });

  const changes: readonly (readonly [string, Fact['fact'], Partial<Record<string, unknown>>, string])[] = [
    ['another schedule', 'schedule_made', { rounds: [] }, 'schedule'],
    ['other points', 'result_accepted', { result: { ...result, points: { A: 9, B: 9 } } }, 'points'],
    ['a match nobody scheduled', 'result_accepted', { result: { ...result, match_id: 'R9' } }, 'no match'],
    ['somebody else', 'result_accepted', { result: { ...result, players: ['A', 'C'] } }, 'players'],
    ['another table', 'round_completed', { standings: [] }, 'standings'],
  ];
  it.each(changes)('finds %s, though the chain is whole', async (_name, which, change, words) => {
    const told = played.map((fact) => (fact.fact === which ? ({ ...fact, ...change } as Fact) : fact));
    const again = await replay(written(facts(...told)));
    expect(again.intact).toBe(true);
    expect(again.differences[0]).toContain(words);
  });

  it('finds a result that is told twice, and counts it once', async () => {
    const again = await replay(written(facts(...played, { fact: 'result_accepted', result })));
    expect(again.differences).toEqual([expect.stringContaining('has a result already')]);
    expect(again.results).toHaveLength(1);
  });

  it('ends where the chain breaks, and says so', async () => {
    const again = await replay(whole.with(5, '{}'));
    expect(again).toMatchObject({
      intact: false,
      lines: 5,
      differences: [expect.stringContaining('line 6')],
    });
  });
});
