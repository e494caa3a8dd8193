import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { flood } from './flood.ts';
import { startWhole, type WholeLeague } from './whole.ts';

const leagues: WholeLeague[] = [];
afterAll(() => {
  for (const league of leagues) league.close();
});

function start(): WholeLeague {
  const league = startWhole(['--players', '4', '--referees', '2', '--seed', '3']);
  leagues.push(league);
  return league;
}

it('changes no result by a flood of messages that are wrong in every way', async () => {
  const quiet = await start().end();
  const flooded = start();
  // Before everybody has registered, who is wrong and who is first would be a matter of luck.
  const there = async () => (await flooded.status())?.players.length;
  await expect.poll(there, { timeout: 120_000, interval: 5 }).toBe(4);
  const { port } = JSON.parse(readFileSync(join(flooded.folder, 'league.json'), 'utf8'));
  const [{ sent, taken }, end] = await Promise.all([
    flood(`http://127.0.0.1:${port}`, { messages: 10_000, rate: 2000 }),
    flooded.end(),
  ]);
  expect([sent, taken]).toEqual([10_000, 0]);
  expect(end.standings).toEqual(quiet.standings);
  expect(end.schedule).toEqual(quiet.schedule);
}, 240_000);
