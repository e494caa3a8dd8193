import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../audit/replay.ts';
import type { Said } from '../protocol/testing.suite.ts';
import { addressOf, LeagueWorld } from './world.suite.ts';

let world: LeagueWorld;
beforeEach(async () => {
  world = new LeagueWorld();
  await world.open();
});
afterEach(() => world.close());

const name = (said: Said) => said.error?.data.error_code;
const start = () => world.tell('ADMIN_START_LEAGUE_REQUEST');
const over = () => expect.poll(() => world.manager.state.status, { interval: 5 }).toBe('COMPLETED');

/** The assignment that a referee has been given. */
async function assigned(nth = 0) {
  const assignments = () =>
    world.asked.filter(({ envelope }) => envelope.message_type === 'MATCH_ASSIGNMENT');
  await expect.poll(() => assignments().length, { interval: 5 }).toBeGreaterThan(nth);
  const found = assignments()[nth];
  if (found === undefined) throw new Error('no assignment');
  return found;
}

describe('a league', () => {
  it('is played to its end, and its log gives the same', async () => {
    await world.populate(['R1', 'R2'], ['P1', 'P2', 'P3', 'P4', 'P5']);
    for (const id of ['R1', 'R2']) world.judge(id);
    expect((await start()).result?.payload).toMatchObject({
      status: 'started',
      message: '10 matches in 5 rounds',
    });
    await over();
    await world.close();
    const again = await replay(await world.lines());
    expect(again).toMatchObject({ intact: true, differences: [], status: 'COMPLETED' });
    expect(again.results).toHaveLength(10);
    expect(again.standings.map(({ matches_played }) => matches_played)).toEqual([4, 4, 4, 4, 4]);
    await world.open();
    expect(world.manager.state.standings()).toEqual(again.standings);
  });

  it('announces each round to its players and the referees, the token of a match only to those who play it', async () => {
    await world.populate(['R1'], ['P1', 'P2', 'P3']);
    world.judge('R1');
    await start();
    await over();
    const announced = world.asked.filter(({ envelope }) => envelope.message_type === 'ROUND_ANNOUNCEMENT');
    // Three rounds, in each of them two players and the referee.
    expect(announced).toHaveLength(9);
    const { envelope, payload } = await assigned();
    const mine = announced.filter(({ payload: said }) =>
      JSON.stringify(said).includes(String(payload['match_token'])),
    );
    expect(mine).toHaveLength(2);
    expect(mine.every((one) => one.envelope.round_id === envelope.round_id)).toBe(true);
  });

  it('never gives a referee two matches at a time', async () => {
    const busy = new Map<string, number>();
    let most = 0;
    await world.populate(['R1', 'R2'], ['P1', 'P2', 'P3', 'P4', 'P5', 'P6']);
    for (const id of ['R1', 'R2'])
      world.agents.set(addressOf(id), async ({ envelope, payload }) => {
        if (envelope.message_type === 'MATCH_ASSIGNMENT') {
          busy.set(id, (busy.get(id) ?? 0) + 1);
          most = Math.max(most, busy.get(id) ?? 0);
          setImmediate(() => {
            busy.set(id, (busy.get(id) ?? 0) - 1);
            void world.report(id, envelope, payload);
          });
        }
        return { status: 'acknowledged', match_id: envelope.match_id ?? '' };
      });
    await start();
    await over();
    expect(most).toBe(1);
    expect(world.manager.state.results).toHaveLength(15);
  });

  it('goes on in the next process, with the same schedule', async () => {
    await world.populate(['R1'], ['P1', 'P2', 'P3', 'P4']);
    await start();
    const { rounds } = world.manager.state;
    const { id, envelope, payload } = await assigned();
    await world.reopen();
    expect(world.manager.state.rounds).toEqual(rounds);
    world.judge('R1');
    await world.report('R1', envelope, payload);
    await over();
    expect(world.manager.state.results).toHaveLength(6);
    const repeated = world.asked.filter((asked) => asked.id === id);
    expect(new Set(repeated.map((one) => one.envelope.conversation_id)).size).toBe(1);
  });
});

describe('a result', () => {
  beforeEach(async () => {
    await world.populate(['R1', 'R2'], ['P1', 'P2']);
    await start();
  });
  const holder = () => [...world.manager.state.matches.values()][0]?.referee ?? '';

  it('counts once, from whoever has the match', async () => {
    const { envelope, payload } = await assigned();
    const other = holder() === 'R1' ? 'R2' : 'R1';
    const names = [
      name(await world.report(other, envelope, payload)),
      name(await world.report(holder(), { ...envelope, match_id: 'R9M9' }, payload)),
      name(await world.report(holder(), { ...envelope, round_id: 'R9' }, payload)),
      name(await world.report(holder(), { ...envelope, league_id: 'L9' }, payload)),
      name(await world.report(holder(), envelope, { players: ['P1', 'P3'] })),
    ];
    const impossible = {
      game_type: 'even_odd',
      players: ['P1', 'P2'],
      points: {},
      outcome: { P1: 'win', P2: 'win' },
    };
    names.push(name(await world.report(holder(), envelope, payload, { payload: impossible })));
    const otherGame = { ...impossible, game_type: 'chess', outcome: { P1: 'draw', P2: 'draw' } };
    names.push(name(await world.report(holder(), envelope, payload, { payload: otherGame })));
    expect(names).toEqual([
      'INVALID_REFEREE_ID',
      'INVALID_MATCH_ID',
      'INVALID_ROUND_ID',
      'INVALID_LEAGUE_ID',
      'INVALID_PLAYER_ID',
      'INVALID_ENVELOPE_FIELD',
      'INVALID_ENVELOPE_FIELD',
    ]);
    const first = await world.report(holder(), envelope, payload, { id: 'same' });
    expect(first.result?.payload).toEqual({ status: 'acknowledged', match_id: envelope.match_id });
    expect(name(await world.report(holder(), envelope, payload))).toBe('DUPLICATE_RESULT');
    await over();
    await world.reopen();
    const again = await world.report(holder(), envelope, payload, { id: 'same' });
    expect(again.result?.payload).toEqual(first.result?.payload);
    expect(world.manager.state.results).toHaveLength(1);
  });

  it('counts by the league, whatever its referee reckons', async () => {
    const { envelope, payload } = await assigned();
    const draw = { game_type: 'even_odd', players: ['P1', 'P2'], points: { P1: 50, P2: 9 } };
    await world.report(holder(), envelope, payload, {
      payload: { ...draw, outcome: { P1: 'draw', P2: 'draw' } },
    });
    expect(world.manager.state.standings().map(({ points }) => points)).toEqual([1, 1]);
  });

  it('leaves its players the standings to read, and nothing else', async () => {
    const { envelope, payload } = await assigned();
    await world.report(holder(), envelope, payload);
    await over();
    const context = { league_id: 'L1' };
    const ask = (said: object) => world.tell('QUERY_STANDINGS', { sender: 'player:P1', context, ...said });
    expect((await ask({})).result?.payload).toMatchObject({
      round_id: 'R1',
      standings: [{ rank: 1, points: 3, wins: 1, draws: 0, losses: 0, matches_played: 1 }, { rank: 2 }],
    });
    expect((await ask({ payload: { round_id: 'R1' } })).result).toBeDefined();
    expect(name(await ask({ payload: { round_id: 'R7' } }))).toBe('INVALID_ROUND_ID');
    expect(name(await ask({ context: {} }))).toBe('MISSING_REQUIRED_FIELD');
    expect(name(await world.tell('AGENT_READY_REQUEST', { sender: 'player:P1' }))).toBe(
      'INVALID_AGENT_STATE',
    );
    expect(world.manager.state.agent('player', 'P1')?.status).toBe('SHUTDOWN');
  });
});

describe('a referee that is gone', () => {
  it('gives its match back when it does not answer any more', async () => {
    await world.populate(['R1', 'R2'], ['P1', 'P2']);
    await start();
    await assigned();
    const first = [...world.manager.state.matches.values()][0]?.referee ?? '';
    const other = first === 'R1' ? 'R2' : 'R1';
    world.judge(other);
    world.agents.delete(addressOf(first));
    await over();
    expect(world.manager.state.results).toMatchObject([{ by: other }]);
    expect(world.manager.state.agent('referee', first)?.lost).toBe(true);
  });

  it('is given nothing while it does not answer, and takes part again when it does', async () => {
    await world.populate(['R1'], ['P1', 'P2']);
    world.agents.delete(addressOf('R1'));
    await start();
    await expect.poll(() => world.manager.state.agent('referee', 'R1')?.lost, { interval: 5 }).toBe(true);
    world.judge('R1');
    await over();
    expect(world.manager.state.results).toMatchObject([{ by: 'R1' }]);
  });

  it('gives its match back when it starts anew, and its earlier self is heard no more', async () => {
    await world.populate(['R1', 'R2'], ['P1', 'P2']);
    await start();
    const { envelope, payload } = await assigned();
    const first = [...world.manager.state.matches.values()][0]?.referee ?? '';
    const ready = () => world.tell('AGENT_READY_REQUEST', { sender: `referee:${first}` });
    await ready();
    expect(world.manager.state.matches.get(envelope.match_id ?? '')?.assigned).toBe(true);
    expect((await ready()).result).toBeDefined();
    const { id } = await assigned(1);
    expect(id).toBe(`L1.${envelope.match_id}.2`);
    const now = [...world.manager.state.matches.values()][0]?.referee ?? '';
    if (now !== first) expect(name(await world.report(first, envelope, payload))).toBe('TIMEOUT_EXCEEDED');
    await world.report(now, envelope, payload);
    await over();
  });
});

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
