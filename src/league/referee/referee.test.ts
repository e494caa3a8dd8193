import { describe, expect, it } from 'vitest';
import { type Said, teller } from '../protocol/testing.suite.ts';
import { MANAGER, MATCH, OWN, openTown } from '../testing/town.suite.ts';

let count = 0;

function assignment(match_id: string, players: readonly string[], changes: object = {}) {
  const about = { league_id: 'L1', round_id: 'R1', match_id, game_type: 'tic_tac_toe' };
  const envelope = {
    ...{ protocol: 'league.v2', message_type: 'MATCH_ASSIGNMENT', sender: 'league_manager' },
    ...{ timestamp: '2026-01-31T10:00:00Z', conversation_id: '6f0c5a4e-3f5b-4c39-9c5f-0d1d5c1c2b3a' },
    ...{ auth_token: OWN, ...about, ...changes },
  };
  const player_endpoints = Object.fromEntries(players.map((id) => [id, `http://${id}/mcp`]));
  const { league_id: _, ...said } = { ...about, ...changes };
  const payload = { ...said, players, player_endpoints, match_token: MATCH };
  return { jsonrpc: '2.0', id: `a${++count}`, method: 'league.handle', params: { envelope, payload } };
}

function opened(parts?: Parameters<typeof openTown>[0]) {
  const place = openTown(parts);
  const tell = teller(place.referee);
  return { ...place, assign: (...args: Parameters<typeof assignment>) => tell(assignment(...args)) };
}

const code = (said: Said) => said.error?.data.error_code;

describe('a referee', () => {
  it('acknowledges at once, plays one match after another, tells the players and reports', async () => {
    const { town, manager, referee, assign } = opened();
    const acks = await Promise.all([assign('M1', ['P1', 'P2']), assign('M2', ['P3', 'P1'])]);
    expect(acks.map(({ result }) => result?.payload)).toEqual([
      { status: 'acknowledged', match_id: 'M1' },
      { status: 'acknowledged', match_id: 'M2' },
    ]);
    expect(referee.status()).toMatchObject({ playing: 'M1', waiting: ['M2'], matches: ['M1', 'M2'] });
    await expect.poll(() => manager.results.length).toBe(2);
    await referee.stop(5000);
    expect(manager.results.map(({ players }) => players)).toEqual([
      ['P1', 'P2'],
      ['P3', 'P1'],
    ]);
    expect(town.types('http://P2/mcp')[0]).toBe('GAME_INVITATION');
    expect(town.types('http://P2/mcp').at(-1)).toBe('GAME_OVER');
    expect(manager.results[0]?.['game_metadata']).not.toHaveProperty('technical_loss');
  });

  it('shows players the token of the match, and the manager its own', async () => {
    const { town, manager, assign } = opened();
    await assign('M1', ['P1', 'P2']);
    await expect.poll(() => manager.results.length).toBe(1);
    for (const { to, body } of town.said) {
      expect(body.includes(MATCH)).toBe(to !== MANAGER);
      expect(body.includes(OWN)).toBe(to === MANAGER);
    }
  });

  it('draws the same numbers when a match is played again', async () => {
    const ends = await Promise.all(
      [1, 2].map(async () => {
        const { manager, assign } = opened();
        await assign('M1', ['P1', 'P2'], { game_type: 'even_odd' });
        await expect.poll(() => manager.results.length).toBe(1);
        return manager.results[0];
      }),
    );
    expect(ends[0]).toEqual(ends[1]);
  });

  it('reports until it is acknowledged, always under the same id', async () => {
    const { town, manager, referee, assign } = opened();
    town.leave(MANAGER);
    await assign('M1', ['P1', 'P2']);
    await expect.poll(() => town.types('http://P1/mcp')).toContain('GAME_OVER');
    // Played, and still its own until the manager has it.
    expect(referee.status()).toMatchObject({ playing: null, matches: ['M1'] });
    let times = 0;
    manager.reply = async () => {
      if (++times === 1) throw new Error('killed before it answered');
      return { payload: { status: 'acknowledged', match_id: 'M1' } };
    };
    town.open(MANAGER, manager);
    await expect.poll(() => times).toBe(2);
    await referee.stop(5000);
    const ids = town.said.filter(({ to }) => to === MANAGER).map(({ body }) => JSON.parse(body).id);
    expect(new Set(ids).size).toBe(1);
    expect(referee.status()).toMatchObject({ matches: [] });
  });

  it('takes a duplicate for an acknowledgement', async () => {
    const { town, manager, referee, assign } = opened();
    manager.reply = async () => ({ name: 'DUPLICATE_RESULT', code: -32000, details: 'known' });
    await assign('M1', ['P1', 'P2']);
    await expect.poll(() => manager.results.length).toBe(1);
    await referee.stop(5000);
    expect(town.types(MANAGER)).toEqual(['MATCH_RESULT_REPORT']);
  });

  it('does not play again what it has played, but reports it again', async () => {
    const { town, manager, assign } = opened();
    await assign('M1', ['P1', 'P2']);
    await expect.poll(() => manager.results.length).toBe(1);
    await expect.poll(() => town.types('http://P1/mcp')).toContain('GAME_OVER');
    await assign('M1', ['P1', 'P2']);
    await expect.poll(() => town.types(MANAGER).length).toBe(2);
    expect(town.types('http://P1/mcp').filter((type) => type === 'GAME_INVITATION').length).toBe(1);
  });

  it('does not begin anew what it plays when it is assigned it once more', async () => {
    const { town, manager, referee, assign } = opened();
    await assign('M1', ['P1', 'P2']);
    await assign('M1', ['P1', 'P2']);
    expect(referee.status()).toMatchObject({ playing: 'M1', waiting: [], matches: ['M1'] });
    await expect.poll(() => manager.results.length).toBe(1);
    await referee.stop(5000);
    expect(town.types('http://P2/mcp').filter((type) => type === 'GAME_INVITATION')).toHaveLength(1);
  });

  it('gives the match to the other when a player is gone, after three attempts', async () => {
    const { town, manager, assign } = opened();
    town.leave('http://P2/mcp');
    await assign('M1', ['P1', 'P2']);
    await expect
      .poll(() => manager.results[0])
      .toMatchObject({
        outcome: { P1: 'win', P2: 'loss' },
        game_metadata: { technical_loss: { P2: 'did not join: no answer of the league' } },
      });
  });

  it('gives the match to the other when a player thinks for too long, and goes on', async () => {
    const silent = { name: 'silent', choose: () => new Promise<never>(() => {}) };
    const { manager, assign } = opened({ strategy: silent });
    await assign('M1', ['P1', 'P2']);
    await expect
      .poll(() => manager.results[0])
      .toMatchObject({
        outcome: { P1: 'loss', P2: 'win' },
        game_metadata: { technical_loss: { P1: 'no move: no answer in time' } },
      });
  });

  it('refuses what is not from its manager, another league, and games that it does not know', async () => {
    const { assign, referee } = opened();
    const players = ['P1', 'P2'];
    expect(code(await assign('M1', players, { auth_token: 'another' }))).toBe('AUTHENTICATION_FAILED');
    expect(code(await assign('M1', players, { sender: 'player:P1' }))).toBe('AUTHORIZATION_FAILED');
    expect(code(await assign('M1', players, { league_id: 'L2' }))).toBe('INVALID_LEAGUE_ID');
    expect(code(await assign('M1', players, { game_type: 'chess' }))).toBe('MATCH_EXECUTION_FAILED');
    expect(code(await assign('M1', ['P1', 'P1']))).toBe('MATCH_EXECUTION_FAILED');
    await referee.stop(0);
    expect(code(await assign('M1', players))).toBe('REFEREE_UNAVAILABLE');
  });

  it('that stops at once leaves its match to others: nobody has lost', async () => {
    const silent = { name: 'silent', choose: () => new Promise<never>(() => {}) };
    const { manager, referee, assign } = opened({ strategy: silent });
    await assign('M1', ['P1', 'P2']);
    await referee.stop(0);
    expect(manager.results).toEqual([]);
  });
});
