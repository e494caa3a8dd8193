import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import { systemTimers } from '../../rpc/testing/timers.suite.ts';
import { inMemory, newIdentity } from '../agents/identity.ts';
import type { AgentTools } from '../agents/to-manager.ts';
import { chanceOf } from '../chance.ts';
import { gamesOf } from '../games/registry.ts';
import { Player, type PlayerParts } from '../player/player.ts';
import type { LeagueAgent } from '../protocol/agent.ts';
import type { AgentAnswer, AgentLines } from '../protocol/ask.ts';
import { leagueDispatch } from '../protocol/endpoint.ts';
import { TestAgent } from '../protocol/testing.suite.ts';
import { defaultTimeouts } from '../protocol/timeout-policy.ts';
import { Referee } from '../referee/referee.ts';
import { randomStrategy } from '../strategies/strategy.ts';

export const MANAGER = 'http://manager/mcp';
export const OWN = 'the-own-token';
export const MATCH = 'the-token-of-the-match';

/** Agents at their addresses, asked without a socket: everything between them is as on the wire. */
export class Town implements AgentLines {
  readonly said: { readonly to: string; readonly type: string; readonly body: string }[] = [];
  readonly #dispatches = new Map<string, ReturnType<typeof leagueDispatch>>();

  open(url: string, agent: LeagueAgent): void {
    this.#dispatches.set(url, leagueDispatch({ agent, ...quiet }));
  }

  leave(url: string): void {
    this.#dispatches.delete(url);
  }

  ask: AgentLines['ask'] = async (to, { id, envelope, payload }, { signal, timeout_ms }) => {
    const there = this.#dispatches.get(to);
    if (there === undefined) throw new GleitzeitError('GLZ2002', 'nobody listens there');
    const params = { envelope, payload };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'league.handle', params });
    this.said.push({ to, type: envelope.message_type, body });
    const late = AbortSignal.timeout(timeout_ms);
    const ended = new Promise<never>((_, reject) => {
      late.onabort = () => reject(new GleitzeitError('GLZ2003', 'no answer in time'));
      signal?.addEventListener('abort', () => reject(new GleitzeitError('GLZ2002', 'stopped')));
    });
    const { text } = await Promise.race([there.handle(body, undefined, signal ?? late), ended]);
    return answerIn(JSON.parse(text ?? 'null'));
  };

  isThere: AgentLines['isThere'] = async (url) => this.#dispatches.has(url);

  matchesOf: AgentLines['matchesOf'] = async () => null;

  async close(): Promise<void> {}

  types(to: string): string[] {
    return this.said.filter((one) => one.to === to).map(({ type }) => type);
  }
}

// What came is what an agent of ours said: its shape is known.
function answerIn(response: { result?: { payload: Json }; error?: JsonObject }): AgentAnswer<never> {
  const { result, error } = response;
  if (error === undefined)
    return { is: 'answered', payload: result?.payload, response } as unknown as AgentAnswer<never>;
  const { code, data } = error as { code: number; data: { error_code: string; details: string } };
  return { is: 'refused', code, ...data, response: response as JsonObject } as AgentAnswer<never>;
}

export const swift = {
  ...defaultTimeouts,
  ...{ join_ms: 200, move_ms: 200, result_ms: 200, initial_delay_ms: 1, max_delay_ms: 4 },
};

export function toolsIn(town: Town): AgentTools {
  return { ...quiet, timers: systemTimers, lines: town, random: chanceOf('town', Date.now()), policy: swift };
}

export function member(matches: Readonly<Record<string, string>> = {}) {
  return inMemory({ ...newIdentity('first'), auth_token: OWN, league_id: 'L1', matches });
}

/** A manager that takes results, and whatever `reply` makes of them. */
export class TestManager extends TestAgent {
  override readonly kind = 'league_manager';
  override readonly sender = 'league_manager';
  override authenticate = () => null;

  get results(): readonly JsonObject[] {
    return this.handled.map(({ payload }) => payload);
  }
}

export function openTown(strategies: Partial<PlayerParts> = {}) {
  const town = new Town();
  const manager = new TestManager();
  town.open(MANAGER, manager);
  const games = gamesOf();
  for (const player_id of ['P1', 'P2', 'P3']) {
    const keeper = member({ M1: MATCH, M2: MATCH });
    const parts = { player_id, keeper, games, strategy: randomStrategy, seed: '1', ...strategies };
    town.open(`http://${player_id}/mcp`, new Player(parts));
  }
  const parts = { referee_id: 'R1', keeper: member(), games, seed: '1', manager_url: MANAGER };
  const referee = new Referee({ ...parts, tools: toolsIn(town) });
  town.open('http://R1/mcp', referee);
  return { town, manager, referee };
}
