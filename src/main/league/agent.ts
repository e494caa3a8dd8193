import type { Logger } from '../../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import type { IdentityKeeper } from '../../league/agents/identity.ts';
import { joinLeague, type Membership } from '../../league/agents/join-league.ts';
import type { AgentTools } from '../../league/agents/to-manager.ts';
import type { Games } from '../../league/games/registry.ts';
import { Player } from '../../league/player/player.ts';
import type { LeagueAgent } from '../../league/protocol/agent.ts';
import { type AgentLines, endpointOf } from '../../league/protocol/ask.ts';
import { newConversation } from '../../league/protocol/envelope.ts';
import type { TimeoutPolicy } from '../../league/protocol/timeout-policy.ts';
import { Referee } from '../../league/referee/referee.ts';
import { type AskEngine, methodStrategy, modelStrategy } from '../../league/strategies/asking.ts';
import { ruleStrategy } from '../../league/strategies/rules.ts';
import { randomStrategy, type Strategy } from '../../league/strategies/strategy.ts';
import { Opened } from '../opened.ts';
import { openFace, type Where } from './face.ts';
import { openIdentity } from './state-file.ts';

export { type AskEngine, methodStrategy, modelStrategy, randomStrategy, ruleStrategy, type Strategy };

export type AgentOptions = {
  readonly id: string;
  /** Where the manager is, with or without `/mcp`. */
  readonly manager: string;
  readonly where: Where;
  /** How others reach it, where that is not where it listens. */
  readonly public_url?: string | undefined;
  readonly state_file?: string | undefined;
  readonly seed: string;
  readonly games: Games;
  readonly policy: TimeoutPolicy;
  readonly lines: AgentLines;
  readonly logger: Logger;
  readonly hide: (texts: readonly string[]) => void;
};

export type RunningAgent = {
  /** Ends in /mcp. */
  readonly endpoint_url: string;
  /** Resolves when the league has taken it; rejects where it does not. */
  readonly joined: Promise<Membership>;
  /** Takes no more, waits for what it is at, and closes everything. */
  stop(deadline_ms?: number): Promise<void>;
};

const STOP_MS = 5000;

export function startPlayer(options: AgentOptions & { readonly strategy: Strategy }): Promise<RunningAgent> {
  const { id: player_id, games, seed, strategy, logger } = options;
  return start(options, 'player', ({ keeper }) => {
    const ended = (match: { readonly match_id: string; readonly outcome: string }) =>
      logger.info('a match ended', match);
    return { agent: new Player({ player_id, keeper, games, strategy, seed, ended }) };
  });
}

export function startReferee(options: AgentOptions): Promise<RunningAgent> {
  const { id: referee_id, games, seed } = options;
  return start(options, 'referee', ({ keeper, tools, manager_url }) => {
    const referee = new Referee({ referee_id, keeper, games, seed, manager_url, tools });
    return { agent: referee, stop: (deadline_ms) => referee.stop(deadline_ms) };
  });
}

type Made = {
  readonly keeper: IdentityKeeper;
  readonly tools: AgentTools;
  readonly manager_url: string;
};

type Making = (made: Made) => {
  readonly agent: LeagueAgent & { ready(): void };
  readonly stop?: (deadline_ms: number) => Promise<void>;
};

/** Listens first and joins then: whoever is registered is asked at once. */
async function start(options: AgentOptions, kind: 'referee' | 'player', make: Making): Promise<RunningAgent> {
  const { id, where, state_file, policy, lines, logger, hide } = options;
  const random = systemRandom();
  const tools = { lines, clock: systemClock, timers: systemTimers, random, logger, policy };
  const keeper = await openIdentity(state_file, newConversation(random));
  hideTokens(hide, keeper);
  const manager_url = endpointOf(options.manager);
  const { agent, stop } = make({ keeper, tools, manager_url });
  const opened = new Opened();
  const ending = new AbortController();
  opened.add(() => ending.abort());
  // The address that others were told in an earlier life.
  const port = where.port === 0 ? (keeper.identity.port ?? 0) : where.port;
  const bound = await openFace(agent, { ...where, port }, { opened, logger }).catch((thrown: unknown) => {
    // Nobody has been told where it is as long as it is not registered: any other port will do.
    if (port === where.port || keeper.identity.auth_token !== null) throw thrown;
    return openFace(agent, where, { opened, logger });
  });
  if (stop !== undefined) opened.add(stop);
  await keeper.keep({ port: bound.port });
  const endpoint_url = endpointOf(options.public_url ?? bound.url);
  const line = { tools, url: manager_url, sender: agent.sender, signal: ending.signal };
  const joined = joinLeague({ line, kind, id, endpoint_url, keeper }).then((member) => {
    hideTokens(hide, keeper);
    if (member.active) agent.ready();
    return member;
  });
  // Whoever does not wait for it hears of it in the log.
  joined.catch(() => {});
  return { endpoint_url, joined, stop: (deadline_ms = STOP_MS) => opened.close(deadline_ms) };
}

function hideTokens(hide: AgentOptions['hide'], { identity }: IdentityKeeper): void {
  const { auth_token, matches } = identity;
  hide([...(auth_token === null ? [] : [auth_token]), ...Object.values(matches)]);
}
