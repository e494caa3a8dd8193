import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('registration', () => {
  it('gives each agent a token of its own, bound to it', async () => {
    const referee = await world.register('referee', 'R1');
    await world.register('player', 'P1');
    await world.register('player', 'P2');
    expect(referee.result?.payload).toMatchObject({ status: 'registered', league_id: 'L1' });
    expect(new Set(world.tokens.values()).size).toBe(4);
    const [one, two] = [world.tokens.get('player:P1') ?? '', world.tokens.get('player:P2') ?? ''];
    expect(
      (await world.tell('AGENT_READY_REQUEST', { sender: 'player:P1', token: one })).result,
    ).toMatchObject({
      payload: { agent_id: 'P1', agent_type: 'player', agent_state: 'ACTIVE' },
    });
    for (const [sender, token] of [
      ['player:P1', two],
      ['player:P3', one],
      ['referee:P1', one],
      ['player:P1', 'x'],
    ]) {
      const said = await world.tell('AGENT_READY_REQUEST', { sender, token });
      expect(said).toMatchObject({ status: 200, error: { code: -32600 } });
      expect(name(said)).toBe('AUTHENTICATION_FAILED');
    }
  });

  it('takes referees first, each id once, and nobody late', async () => {
    const names = [name(await world.register('player', 'P1'))];
    await world.register('referee', 'R1');
    await world.register('player', 'P1');
    names.push(name(await world.register('referee', 'R1')), name(await world.register('player', 'P1')));
    await world.register('player', 'P2');
    await world.tell('ADMIN_START_LEAGUE_REQUEST');
    names.push(name(await world.register('player', 'P3')), name(await world.register('referee', 'R2')));
    expect(names).toEqual([
      'PRECONDITION_FAILED',
      'DUPLICATE_REGISTRATION',
      'DUPLICATE_REGISTRATION',
      'REGISTRATION_CLOSED',
      'REGISTRATION_CLOSED',
    ]);
  });

  it.each([
    ['player', { player_id: 'P2', endpoint_url: addressOf('P1') }, 'INVALID_PLAYER_ID'],
    ['player', { player_id: 'a b', endpoint_url: addressOf('P1') }, 'INVALID_PLAYER_ID'],
    ['referee', { referee_id: 'R3', endpoint_url: addressOf('R1') }, 'INVALID_REFEREE_ID'],
    ['player', { endpoint_url: addressOf('P1') }, 'MISSING_REQUIRED_FIELD'],
    ['player', { player_id: 'P1' }, 'MISSING_REQUIRED_FIELD'],
    ['player', { player_id: 'P1', endpoint_url: 'ftp://127.0.0.1/' }, 'INVALID_ENVELOPE_FIELD'],
    ['player', { player_id: 'P1', endpoint_url: 'http://10.0.0.1/mcp' }, 'INVALID_ENVELOPE_FIELD'],
    ['player', { player_id: 'P1', endpoint_url: 'http://127.0.0.1.example/mcp' }, 'INVALID_ENVELOPE_FIELD'],
    ['player', { player_id: 'P1', endpoint_url: 'http://me:it@127.0.0.1/mcp' }, 'INVALID_ENVELOPE_FIELD'],
  ] as const)('of a %s with %j is refused', async (kind, payload, expected) => {
    await world.register('referee', 'R0');
    const said = await world.register(kind, kind === 'player' ? 'P1' : 'R1', { payload });
    expect([said.error?.code, name(said)]).toEqual([-32602, expected]);
  });

  it('of somebody in another league is refused', async () => {
    const said = await world.register('referee', 'R1', { context: { league_id: 'L2' } });
    expect([said.error?.code, name(said)]).toEqual([-32000, 'INVALID_LEAGUE_ID']);
  });
});

describe('the window of registration', () => {
  it('takes so many of each kind and no more', async () => {
    await world.close();
    world = new LeagueWorld({ most_agents: { referee: 1, player: 2 } });
    await world.open();
    await world.populate(['R1'], ['P1', 'P2']);
    expect(name(await world.register('player', 'P3'))).toBe('REGISTRATION_CLOSED');
    expect(name(await world.register('referee', 'R2'))).toBe('REGISTRATION_CLOSED');
    expect(name(await world.register('player', 'P2'))).toBe('DUPLICATE_REGISTRATION');
    expect(world.manager.state.agents.size).toBe(3);
  });

  it.each([
    [3_600_000, undefined],
    [1, 'REGISTRATION_CLOSED'],
  ])(
    'of %d ms counts from when the league was opened, whatever process has it',
    async (window_ms, expected) => {
      await world.close();
      world = new LeagueWorld({ timeouts: { ...defaultTimeouts, window_ms } });
      await world.open();
      const closes = world.manager.state.closes_at ?? 0;
      if (expected !== undefined)
        await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(closes);
      expect(name(await world.register('referee', 'R1'))).toBe(expected);
      await world.reopen();
      expect(world.manager.state.closes_at).toBe(closes);
      expect(name(await world.register('referee', 'R2'))).toBe(expected);
    },
  );
});

describe('a registration whose answer was lost', () => {
  it('is answered by the same token under the same id, also by the next process', async () => {
    const id = randomUUID();
    const first = await world.register('referee', 'R1', { id });
    const again = await world.register('referee', 'R1', { id });
    expect(again.result?.payload).toEqual(first.result?.payload);
    await world.reopen();
    const later = await world.register('referee', 'R1', { id });
    expect(later.result?.payload).toEqual(first.result?.payload);
    expect(name(await world.register('referee', 'R1'))).toBe('DUPLICATE_REGISTRATION');
    const count = world.manager.state.all('referee').length;
    expect(count).toBe(1);
  });

  it('tells the token nobody any more once its agent has used it', async () => {
    const id = randomUUID();
    await world.register('referee', 'R1', { id });
    await world.tell('AGENT_READY_REQUEST', { sender: 'referee:R1' });
    expect(name(await world.register('referee', 'R1', { id }))).toBe('DUPLICATE_REGISTRATION');
    await world.reopen();
    expect(name(await world.register('referee', 'R1', { id }))).toBe('DUPLICATE_REGISTRATION');
  });

  it('with another content is refused', async () => {
    await world.register('referee', 'R1', { id: 7 });
    const payload = { referee_id: 'R1', endpoint_url: addressOf('elsewhere') };
    expect(name(await world.register('referee', 'R1', { id: 7, payload }))).toBe('INVALID_JSON_RPC');
  });
});

describe('an administrator', () => {
  it('starts a league when it can be played, once', async () => {
    const start = async () => name(await world.tell('ADMIN_START_LEAGUE_REQUEST')) ?? 'started';
    const status = async () => (await world.tell('ADMIN_GET_STATUS_REQUEST')).result?.payload;
    const said = [await start()];
    await world.populate(['R1'], ['P1']);
    said.push(await start());
    expect(await status()).toMatchObject({ status: 'REGISTRATION', can_start: false });
    await world.populate([], ['P2']);
    expect(await status()).toMatchObject({
      league_id: 'L1',
      can_start: true,
      referees: [{ agent_id: 'R1', agent_state: 'REGISTERED' }],
    });
    said.push(await start(), await start());
    expect(said).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED', 'started', 'PRECONDITION_FAILED']);
    expect(await status()).toMatchObject({ status: 'ACTIVE', can_start: false });
  });

  it('is nobody without the token of the configuration', async () => {
    await world.populate(['R1'], ['P1', 'P2']);
    const tokens = ['guess', world.tokens.get('player:P1') ?? ''];
    for (const token of tokens)
      expect(name(await world.tell('ADMIN_START_LEAGUE_REQUEST', { token }))).toBe('AUTHENTICATION_FAILED');
    const said = await world.tell('ADMIN_START_LEAGUE_REQUEST', { sender: 'player:P1' });
    expect(name(said)).toBe('AUTHORIZATION_FAILED');
  });
});
