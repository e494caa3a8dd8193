import { describe, expect, it } from 'vitest';
import { MANAGER, TestManager, Town, toolsIn } from '../testing/town.suite.ts';
import { inMemory, newIdentity } from './identity.ts';
import { joinLeague } from './join-league.ts';

const FIRST = '6f0c5a4e-3f5b-4c39-9c5f-0d1d5c1c2b3a';

function opened(kind: 'referee' | 'player' = 'player') {
  const town = new Town();
  const manager = new TestManager();
  const ending = new AbortController();
  const sender = `${kind}:A1`;
  const line = { tools: toolsIn(town), url: MANAGER, sender, signal: ending.signal };
  const keeper = inMemory(newIdentity(FIRST));
  const join = () => joinLeague({ line, kind, id: 'A1', endpoint_url: 'http://A1/mcp', keeper });
  manager.reply = async ({ envelope }) =>
    envelope.message_type === 'AGENT_READY_REQUEST'
      ? { payload: { status: 'ok', agent_id: 'A1', agent_type: kind, agent_state: 'ACTIVE' } }
      : { payload: { status: 'registered', auth_token: 'given', league_id: 'L1' } };
  return { town, manager, keeper, join, ending };
}

describe('joining a league', () => {
  it('registers, keeps what it was given, and says that it is ready', async () => {
    const { town, manager, keeper, join } = opened();
    town.open(MANAGER, manager);
    expect(await join()).toEqual({ auth_token: 'given', league_id: 'L1', active: true });
    expect(keeper.identity).toMatchObject({ auth_token: 'given', league_id: 'L1' });
    expect(town.types(MANAGER)).toEqual(['REGISTER_PLAYER_REQUEST', 'AGENT_READY_REQUEST']);
    expect(town.said[0]?.body).not.toContain('auth_token');
    expect(JSON.parse(town.said[0]?.body ?? '{}').id).toBe(FIRST);
  });

  it('waits for a manager that starts later', async () => {
    const { town, manager, join } = opened('referee');
    const joined = join();
    setTimeout(() => town.open(MANAGER, manager), 20);
    expect(await joined).toMatchObject({ league_id: 'L1' });
  });

  it('waits, as a player, for the first referee', async () => {
    const { town, manager, join } = opened();
    const { reply } = manager;
    let asked = 0;
    manager.reply = async (question) =>
      ++asked < 3 ? { name: 'PRECONDITION_FAILED', code: -32000, details: 'no referee' } : reply(question);
    town.open(MANAGER, manager);
    expect(await join()).toMatchObject({ auth_token: 'given' });
  });

  it('does not register twice, but says that it is back', async () => {
    const { town, manager, join } = opened();
    town.open(MANAGER, manager);
    await join();
    await join();
    expect(town.types(MANAGER).filter((type) => type === 'REGISTER_PLAYER_REQUEST').length).toBe(1);
    expect(town.types(MANAGER).at(-1)).toBe('AGENT_READY_REQUEST');
  });

  it('gives up where it is refused', async () => {
    const { town, manager, join } = opened();
    manager.reply = async () => ({ name: 'DUPLICATE_REGISTRATION', code: -32000, details: 'A1 is there' });
    town.open(MANAGER, manager);
    await expect(join()).rejects.toThrow('the league refused player A1: A1 is there');
  });

  it('ends with its signal', async () => {
    const { join, ending } = opened();
    const joined = join();
    ending.abort(new Error('stopped'));
    await expect(joined).rejects.toThrow('stopped');
  });
});
