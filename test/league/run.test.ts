import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { published } from '../cli/published.ts';
import {
  foreignPlayers,
  type LeaguePrinted,
  leagueOf,
  secretsOf,
  startWhole,
  type WholeLeague,
} from './whole.ts';

const { options, schedule } = leagueOf(8);

let leagues: readonly WholeLeague[] = [];
let ends: readonly LeaguePrinted[] = [];

beforeAll(async () => {
  const programs = (await foreignPlayers()).flatMap((program) => ['--player-program', program]);
  const league = startWhole([...options, '--strategy', 'rules,random', ...programs]);
  leagues = [league];
  ends = [await league.end()];
}, 240_000);

afterAll(() => {
  for (const league of leagues) league.close();
});

const first = () => {
  const [league, end] = [leagues[0], ends[0]];
  if (league === undefined || end === undefined) throw new Error('no league was played');
  return { league, end };
};

describe('league run with eight players, two of them in Python and Go', () => {
  it('plays 28 matches, each once, and nobody loses but by playing', () => {
    const { end } = first();
    expect(end).toMatchObject({ matches: 28, matches_completed: 28, restarts: 0 });
    expect(end.standings.map(({ matches_played }) => matches_played)).toEqual(Array(8).fill(7));
    expect(readFileSync(end.audit, 'utf8')).not.toContain('technical_loss');
  });

  it('makes the schedule of its seed', () => {
    expect(first().end.schedule).toEqual(schedule);
  });

  it('is found again in its log: league replay gives the same standings', async () => {
    const { end } = first();
    const { status, out } = await play(['league', 'replay', end.audit, '-o', 'json']);
    expect(status).toBe(0);
    const told = published('league_replayed', out);
    expect(told).toMatchObject({ intact: true, differences: [], standings: end.standings });
    expect(told.results.length).toBe(28);
  });

  it('tells no token, in no log and no file but those of its owners', () => {
    const { league, end } = first();
    const said = [league.command.stderr(), league.command.stdout(), readFileSync(end.audit, 'utf8')].join(
      '\n',
    );
    const secrets = secretsOf(league.folder);
    // One of the administrator, one for each agent, and those of matches that players keep.
    expect(secrets.length).toBeGreaterThanOrEqual(12);
    for (const secret of secrets) expect(said.includes(secret)).toBe(false);
  });

  it('notices one changed byte', async () => {
    const { league, end } = first();
    const whole = await play(['league', 'audit', end.audit, '-o', 'json']);
    expect(whole.status).toBe(0);
    const { lines } = published('league_audited', whole.out);
    const bytes = readFileSync(end.audit);
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const changed = join(league.folder, 'changed.jsonl');
    writeFileSync(changed, bytes);
    const told = await play(['league', 'audit', changed, '-o', 'json']);
    expect(told.status).toBe(7);
    expect(published('league_audited', told.out)).toMatchObject({ intact: false, hash: null });
    expect(published('league_audited', told.out).lines).toBeLessThan(lines);
    expect((await play(['league', 'replay', changed])).status).toBe(7);
  });

  it('takes no other league in its folder', async () => {
    const { league } = first();
    const other = ['league', 'run', '--folder', league.folder, '--players', '3'];
    const { status, err } = await play(other);
    expect([status, err]).toEqual([8, expect.stringContaining('there is another league in')]);
  });
});
