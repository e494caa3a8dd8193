import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../audit/replay.ts';
import type { Said } from '../protocol/testing.suite.ts';
import { defaultTimeouts } from '../protocol/timeout-policy.ts';
import { addressOf, LeagueWorld } from './world.suite.ts';

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

  it('gives matches to the referees that the schedule names, where they are free', async () => {
    await world.populate(['R2', 'R1'], ['P1', 'P2', 'P3', 'P4']);
    await start();
    await assigned(1);
    const given = [...world.manager.state.matches.values()].filter(({ assigned: has }) => has);
    expect(given).toHaveLength(2);
    for (const { referee, match } of given) expect(referee).toBe(match.referee);
  });

  it('announces each round to its players and the referees, the token of a match only to those who play it', async () => {
    await world.populate(['R1'], ['P1', 'P2', 'P3', 'P4']);
    world.judge('R1');
    await start();
    await over();
    const announced = world.asked.filter(({ envelope }) => envelope.message_type === 'ROUND_ANNOUNCEMENT');
    // Three rounds, in each of them four players and the referee.
    expect(announced).toHaveLength(15);
    const { envelope, payload } = await assigned();
    const mine = announced.filter(({ payload: said }) =>
      JSON.stringify(said).includes(String(payload['match_token'])),
    );
    expect(mine).toHaveLength(2);
    expect(mine.every((one) => one.envelope.round_id === envelope.round_id)).toBe(true);
    for (const { payload: said } of announced) expect(said['matches']).toHaveLength(2);
    await world.close();
    const lines = (await world.lines()).filter((line) => line.includes('"ROUND_ANNOUNCEMENT"'));
    // The log has a round once, and says of the others where it stands.
    expect(lines.filter((line) => line.includes('"players":['))).toHaveLength(3);
    expect(lines.filter((line) => line.includes('{"same_as":"L1.R1.referee.R1"}'))).toHaveLength(4);
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

  it('keeps its match when it is not heard twice', async () => {
    await world.populate(['R1'], ['P1', 'P2']);
    await start();
    const { envelope, payload } = await assigned();
    world.unheard = 2;
    await expect.poll(() => world.unheard, { interval: 5 }).toBe(0);
    expect(world.manager.state.agent('referee', 'R1')?.lost).toBe(false);
    await world.report('R1', envelope, payload);
    await over();
    expect([...world.manager.state.matches.values()]).toMatchObject([{ assignments: 1 }]);
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

  it('gives back what it does not name any more, and keeps what it names', async () => {
    await world.populate(['R1'], ['P1', 'P2']);
    world.held.set(addressOf('R1'), ['R1M1']);
    await start();
    const { envelope, payload } = await assigned();
    const { match_id = '' } = envelope;
    world.held.set(addressOf('R1'), [match_id]);
    let asked = 0;
    const held = world.held.get.bind(world.held);
    world.held.get = (address) => {
      // Once is nothing.
      return asked++ === 0 ? [] : held(address);
    };
    await expect.poll(() => asked, { interval: 5 }).toBeGreaterThan(3);
    expect(world.manager.state.matches.get(match_id)?.assignments).toBe(1);
    world.held.set(addressOf('R1'), []);
    const again = await assigned(1);
    expect(again.id).toBe(`L1.${match_id}.2`);
    world.held.set(addressOf('R1'), [match_id]);
    await world.report('R1', envelope, payload);
    await over();
    await world.close();
    const told = (await world.lines()).filter((line) => line.includes('match_given_back'));
    expect(told[0]).toContain('its referee does not know it');
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

describe('a referee that takes a match and says nothing more', () => {
  it('has it for so long, then others have it, and in the end the league decides', async () => {
    await world.close();
    const timeouts = { ...defaultTimeouts, match_ms: 30, initial_delay_ms: 1, attempts: 2 };
    world = new LeagueWorld({ timeouts });
    await world.open();
    await world.populate(['R1'], ['P1', 'P2']);
    await start();
    await over();
    const [match] = [...world.manager.state.matches.values()];
    expect(match).toMatchObject({ assignments: 2, former: ['R1', 'R1'] });
    expect(world.manager.state.results).toMatchObject([
      { by: null, reason: 'REFEREE_UNAVAILABLE', outcome: { P1: 'loss', P2: 'loss' } },
    ]);
    await world.close();
    expect(await replay(await world.lines())).toMatchObject({ differences: [], status: 'COMPLETED' });
  });
});

describe('a second manager of the same league', () => {
  it('cannot begin it with another game or seed', async () => {
    await world.close();
    const other = new LeagueWorld({ seed: 'eight' });
    Object.assign(other, { data: world.data });
    await expect(other.open()).rejects.toMatchObject({ code: 'GLZ1012' });
  });
});
