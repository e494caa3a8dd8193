import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../audit/replay.ts';
import type { Said } from '../protocol/testing.suite.ts';
import { LeagueWorld } from './world.suite.ts';

let world: LeagueWorld;
beforeEach(async () => {
  world = new LeagueWorld();
  await world.open();
});
afterEach(() => world.close());

const name = (said: Said) => said.error?.data.error_code;
const start = () => world.tell('ADMIN_START_LEAGUE_REQUEST');
const over = () => world.over();
const assigned = (nth?: number) => world.assigned(nth);

describe('an agent that breaks the rules', () => {
  it('is suspended: its token is refused, and its matches are lost', async () => {
    await world.close();
    world = new LeagueWorld({ violations_allowed: 3 });
    await world.open();
    await world.populate(['R1'], ['P1', 'P2', 'P3']);
    const wrong = () => world.tell('QUERY_STANDINGS', { sender: 'player:P3', context: { league_id: 'L9' } });
    for (let n = 0; n < 3; n++) expect(name(await wrong())).toBe('INVALID_LEAGUE_ID');
    expect(name(await wrong())).toBe('AUTHENTICATION_FAILED');
    expect(world.manager.state.agent('player', 'P3')?.status).toBe('SUSPENDED');
    await world.reopen();
    expect(name(await wrong())).toBe('AUTHENTICATION_FAILED');
    world.judge('R1');
    expect((await start()).result?.payload).toMatchObject({ message: '1 matches in 1 rounds' });
    await over();
  });

  it('loses what it has not played when it is suspended in the middle', async () => {
    await world.close();
    world = new LeagueWorld({ violations_allowed: 1 });
    await world.open();
    await world.populate(['R1'], ['P1', 'P2', 'P3', 'P4']);
    await start();
    await assigned();
    await world.tell('QUERY_STANDINGS', { sender: 'player:P4', context: { league_id: 'L9' } });
    world.judge('R1');
    const { envelope, payload } = await assigned();
    await world.report('R1', envelope, payload);
    await over();
    const lost = world.manager.state.results.filter(({ by }) => by === null);
    expect(lost.length).toBeGreaterThanOrEqual(2);
    for (const { outcome, players } of lost) {
      expect(players).toContain('P4');
      expect(outcome['P4']).toBe('loss');
    }
    await world.close();
    expect(await replay(await world.lines())).toMatchObject({ differences: [], status: 'COMPLETED' });
  });

  it('is not suspended for what others say in its name', async () => {
    await world.close();
    world = new LeagueWorld({ violations_allowed: 2 });
    await world.open();
    await world.populate(['R1'], ['P1', 'P2']);
    for (let n = 0; n < 5; n++) {
      await world.tell('QUERY_STANDINGS', { sender: 'player:P1', token: 'forged-token' });
      await world.register('player', 'P1');
    }
    expect(world.manager.state.agent('player', 'P1')).toMatchObject({ status: 'REGISTERED', violations: 0 });
  });
});

describe('tokens', () => {
  it('stand in no line of the log, no error and no log of the program', async () => {
    await world.populate(['R1'], ['P1', 'P2']);
    const said: Said[] = [];
    for (const sender of ['player:P1', 'referee:R1']) {
      said.push(await world.tell('QUERY_STANDINGS', { sender, context: { league_id: 'L9' } }));
      said.push(
        await world.tell('QUERY_STANDINGS', { sender: 'player:P2', token: world.tokens.get(sender) ?? '' }),
      );
      said.push(await world.tell('AGENT_READY_REQUEST', { sender, payload: [world.tokens.get(sender)] }));
    }
    const odd = world.tokens.get('player:P1') ?? '';
    said.push(
      await world.tell('GAME_OVER', { sender: 'player:P1', context: { match_id: odd, game_type: odd } }),
    );
    world.judge('R1');
    await start();
    await over();
    await world.close();
    const all = JSON.stringify([said, await world.lines(), world.log.lines]);
    const answered = world.tokens.values();
    for (const token of answered) expect(all.split(token)).toHaveLength(1);
    const { payload } = await assigned();
    expect(all).not.toContain(String(payload['match_token']));
  });
});
