import { describe, expect, it } from 'vitest';
import { gamesOf } from '../games/registry.ts';
import { teller } from '../protocol/testing.suite.ts';
import { randomStrategy } from '../strategies/strategy.ts';
import { MATCH, member, OWN } from '../testing/town.suite.ts';
import { Player } from './player.ts';

let count = 0;

function opened(announced: Readonly<Record<string, string>> = { M1: MATCH }) {
  const keeper = member(announced);
  const ended: string[] = [];
  const player = new Player({
    ...{ player_id: 'P1', keeper, games: gamesOf(), strategy: randomStrategy, seed: '1' },
    ended: ({ match_id, outcome }) => ended.push(`${match_id} ${outcome}`),
  });
  const tell = teller(player);
  const say = async (message_type: string, payload: object, changes: object = {}) => {
    const envelope = {
      ...{ protocol: 'league.v2', message_type, sender: 'referee:R1', timestamp: '2026-01-31T10:00:00Z' },
      ...{ conversation_id: '6f0c5a4e-3f5b-4c39-9c5f-0d1d5c1c2b3a', auth_token: MATCH },
      ...{ league_id: 'L1', match_id: 'M1', game_type: 'even_odd', ...changes },
    };
    const params = { envelope, payload };
    const said = await tell({ jsonrpc: '2.0', id: `p${++count}`, method: 'league.handle', params });
    return said.error?.data.error_code ?? said.result?.payload;
  };
  return { say, keeper, ended, player };
}

const invitation = { match_id: 'M1', game_type: 'even_odd', opponents: ['P2'] };
const move = { step_number: 1, step_context: {} };
const over = { outcome: 'win', final_state: {} };
const choice = { move_payload: { choice: expect.stringMatching(/^(even|odd)$/) } };

describe('a player', () => {
  it('joins, moves, and hears how it ended, once', async () => {
    const { say, ended, player } = opened();
    expect(await say('GAME_INVITATION', invitation)).toEqual({ status: 'accepted', match_id: 'M1' });
    expect(await say('REQUEST_MOVE', move)).toEqual(choice);
    expect(await say('GAME_OVER', over)).toMatchObject({ status: 'acknowledged' });
    expect(await say('GAME_OVER', over)).toMatchObject({ status: 'acknowledged' });
    expect(ended).toEqual(['M1 win']);
    expect(player.status()).toMatchObject({ results: { win: 1, draw: 0, loss: 0 } });
    expect(await say('REQUEST_MOVE', move)).toBe('INVALID_MATCH_ID');
  });

  it('listens to nobody but referees of its matches', async () => {
    const { say } = opened();
    const from = (sender: string) => say('GAME_INVITATION', invitation, { sender });
    expect(await from('player:P2')).toBe('AUTHORIZATION_FAILED');
    expect(await from('admin')).toBe('AUTHORIZATION_FAILED');
    expect(await from('league_manager')).toBe('AUTHORIZATION_FAILED');
    expect(await say('GAME_INVITATION', invitation, { auth_token: 'a-guess' })).toBe('AUTHENTICATION_FAILED');
    expect(await say('GAME_INVITATION', invitation, { league_id: 'L2' })).toBe('INVALID_LEAGUE_ID');
    expect(await say('REQUEST_MOVE', move)).toBe('INVALID_MATCH_ID');
    expect(await say('QUERY_STANDINGS', {})).toBe('AUTHORIZATION_FAILED');
  });

  it('answers only who has invited where no token was announced', async () => {
    const { say } = opened({});
    expect(await say('REQUEST_MOVE', move)).toBe('INVALID_MATCH_ID');
    await say('GAME_INVITATION', invitation);
    expect(await say('REQUEST_MOVE', move)).toEqual(choice);
    expect(await say('REQUEST_MOVE', move, { sender: 'referee:R2' })).toBe('AUTHENTICATION_FAILED');
    expect(await say('REQUEST_MOVE', move, { auth_token: 'another' })).toBe('AUTHENTICATION_FAILED');
  });

  it('remembers so many referees of a match, the newest', async () => {
    const { say } = opened({});
    for (let n = 0; n < 17; n++) await say('GAME_INVITATION', invitation, { sender: `referee:R${n}` });
    expect(await say('REQUEST_MOVE', move, { sender: 'referee:R0' })).toBe('AUTHENTICATION_FAILED');
    expect(await say('REQUEST_MOVE', move, { sender: 'referee:R16' })).toEqual(choice);
  });

  it('shows what it is in the life of an agent', () => {
    const { player, keeper } = opened();
    expect(player.status()).toMatchObject({ state: 'REGISTERED' });
    player.ready();
    expect(player.status()).toMatchObject({ state: 'ACTIVE' });
    void keeper.keep({ auth_token: null });
    expect(player.status()).toMatchObject({ state: 'INIT' });
  });

  it('begins anew with another referee when the first one is gone', async () => {
    const { say } = opened();
    const second = { sender: 'referee:R2' };
    await say('GAME_INVITATION', invitation);
    await say('GAME_OVER', over);
    await say('GAME_INVITATION', invitation, second);
    expect(await say('REQUEST_MOVE', move, second)).toEqual(choice);
  });

  it('keeps what the manager announces of its own matches, and takes announcements from nobody else', async () => {
    const { say, keeper } = opened({});
    const matches = [
      { match_id: 'M7', players: ['P1', 'P2'], referee: 'R1', game_type: 'even_odd', match_token: 'seven' },
      { match_id: 'M8', players: ['P3', 'P4'], referee: null, game_type: 'even_odd' },
    ];
    const announce = (changes: object) =>
      say('ROUND_ANNOUNCEMENT', { round_id: 'R1', matches }, { round_id: 'R1', ...changes });
    expect(await announce({ sender: 'referee:R1', auth_token: OWN })).toBe('AUTHORIZATION_FAILED');
    expect(await announce({ sender: 'league_manager' })).toBe('AUTHENTICATION_FAILED');
    expect(await announce({ sender: 'league_manager', auth_token: OWN })).toEqual({ status: 'acknowledged' });
    expect(keeper.identity.matches).toEqual({ M7: 'seven' });
  });

  it('makes the same move for the same seed, match and step', async () => {
    const moves = await Promise.all(
      [1, 2].map(async () => {
        const { say } = opened();
        await say('GAME_INVITATION', invitation);
        return say('REQUEST_MOVE', move);
      }),
    );
    expect(moves[0]).toEqual(moves[1]);
  });
});
