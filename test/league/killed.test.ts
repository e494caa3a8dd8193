import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { published } from '../cli/published.ts';
import { writeTimeouts } from './timeouts.ts';
import { foreignPlayers, startWhole, type WholeLeague, whole, wholeSchedule } from './whole.ts';

let league: WholeLeague | undefined;
afterAll(() => league?.close());

it('ends with every result counted once, whoever is killed on the way', async () => {
  const programs = (await foreignPlayers()).flatMap((program) => ['--player-program', program]);
  league = startWhole([
    ...[...whole, '--strategy', 'rules,random', ...programs],
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
  await reached(7);
  await kill('P3');
  await reached(11);
  // While results come and matches are assigned.
  await kill('manager');
  await killInMatch('R2');
  await reached(17);
  await kill('manager');
  await reached(24);
  await kill('manager');
  const end = await league.end();
  expect(end).toMatchObject({ matches: 28, matches_completed: 28 });
  expect(end.restarts).toBeGreaterThanOrEqual(8);
  // As the league of the same seed that nobody was killed in.
  expect(end.schedule).toEqual(wholeSchedule);
  expect(end.standings.map(({ matches_played }) => matches_played)).toEqual(Array(8).fill(7));
  const { status: code, out } = await play(['league', 'replay', end.audit, '-o', 'json']);
  expect(code).toBe(0);
  const told = published('league_replayed', out);
  expect(told).toMatchObject({ intact: true, differences: [], standings: end.standings });
  const counted = (told.results as { match_id: string }[]).map(({ match_id }) => match_id);
  expect([counted.length, new Set(counted).size]).toEqual([28, 28]);
  const accepted = readFileSync(`${folder}/audit.jsonl`, 'utf8').match(/"fact":"result_accepted"/g);
  expect(accepted?.length).toBe(28);
}, 300_000);
