import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { published } from '../cli/published.ts';
import { writeTimeouts } from './timeouts.ts';
import { foreignPlayers, leagueOf, startWhole, type WholeLeague } from './whole.ts';

/** So many that the league is not over before the last is killed. */
const PLAYERS = 14;
const MATCHES = (PLAYERS * (PLAYERS - 1)) / 2;
const { options, schedule } = leagueOf(PLAYERS);

let league: WholeLeague | undefined;
afterAll(() => league?.close());

it('ends with every result counted once, whoever is killed on the way', async () => {
  const programs = (await foreignPlayers()).flatMap((program) => ['--player-program', program]);
  league = startWhole([
    ...[...options, '--strategy', 'rules,random', ...programs],
    ...['--timeouts', writeTimeouts()],
  ]);
  const { kill, killInMatch, reached, status, folder } = league;
  // In the registration: some are there, and some are not.
  const some = async () => ((await status())?.players.length ?? 0) > 0;
  await expect.poll(some, { timeout: 120_000, interval: 5 }).toBe(true);
  await kill('manager');
  await reached(2);
  await killInMatch('R1');
  await kill('manager');
  await reached(15);
  await kill('P3');
  await reached(25);
  // While results come and matches are assigned.
  await kill('manager');
  await killInMatch('R2');
  await reached(50);
  await kill('manager');
  await reached(75);
  await kill('manager');
  const end = await league.end();
  expect(end).toMatchObject({ matches: MATCHES, matches_completed: MATCHES });
  expect(end.restarts).toBeGreaterThanOrEqual(8);
  // As the league of the same seed that nobody was killed in.
  expect(end.schedule).toEqual(schedule);
  expect(end.standings.map(({ matches_played }) => matches_played)).toEqual(Array(PLAYERS).fill(PLAYERS - 1));
  const { status: code, out } = await play(['league', 'replay', end.audit, '-o', 'json']);
  expect(code).toBe(0);
  const told = published('league_replayed', out);
  expect(told).toMatchObject({ intact: true, differences: [], standings: end.standings });
  const counted = (told.results as { match_id: string }[]).map(({ match_id }) => match_id);
  expect([counted.length, new Set(counted).size]).toEqual([MATCHES, MATCHES]);
  const accepted = readFileSync(`${folder}/audit.jsonl`, 'utf8').match(/"fact":"result_accepted"/g);
  expect(accepted?.length).toBe(MATCHES);
}, 300_000);
