import type { Answer } from '../../core/answer.ts';
import { errorRecord } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { ProtocolInput } from '../../registry/typed.ts';
import { matchPatience } from '../protocol/timeout-policy.ts';
import { pointsFor, scoringOf } from '../rules/scoring.ts';
import type { Assigner } from './assigner.ts';
import type { MatchResult } from './facts.ts';
import type { League } from './league.ts';
import type { Outgoing } from './outgoing.ts';
import type { ManagerParts } from './parts.ts';
import type { AgentState, MatchState } from './state.ts';
import { matchToken } from './tokens.ts';

export const LEAGUE_PROTOCOL = 'league/v1';

/** What a round is made of: one task for each match, which ends when the match has its result. */
export const leagueProtocol = {
  name: LEAGUE_PROTOCOL,
  title: 'The agent league',
  description: 'A match of a league: assigned to a referee, and done when that has reported its result.',
  methods: {
    match: {
      description: 'Has a match played by whichever referee is free.',
      params: {
        type: 'object',
        required: ['league_id', 'match_id'],
        properties: {
          league_id: { type: 'string' },
          round_id: { type: 'string' },
          match_id: { type: 'string' },
          game_type: { type: 'string' },
          players: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const satisfies ProtocolInput;

export type MatchTaskParts = {
  readonly league: League;
  readonly parts: ManagerParts;
  readonly assigner: Assigner;
  readonly outgoing: Outgoing;
};

/** Another league's task: whoever manages that one is to take it. */
const ELSEWHERE_MS = 30_000;

/**
 * Makes the call of a match's task. It takes a referee, hands it the match and then waits outside, where nothing is held:
 * the report settles it, and a deadline ends it where none comes. Whatever an attempt finds half done it goes on with.
 */
export class MatchTask implements Provider {
  readonly id = 'league-manager';
  readonly protocol = LEAGUE_PROTOCOL;
  readonly #of: MatchTaskParts;

  constructor(of: MatchTaskParts) {
    this.#of = of;
  }

  hasMethod(method: string): boolean {
    return method === 'match';
  }

  async call(call: ProviderCall): Promise<Answer> {
    const { league, parts } = this.#of;
    const { league_id, match_id } = call.params;
    if (league_id !== parts.options.league_id)
      return { word: 'again', after_ms: ELSEWHERE_MS, reason: 'this manager has another league' };
    const match = league.state.matches.get(String(match_id));
    if (match === undefined)
      return { word: 'failed', error: errorRecord('GLZ1010', `there is no match ${String(match_id)}`) };
    return this.#play(match, call);
  }

  async #play(match: MatchState, call: ProviderCall): Promise<Answer> {
    const acknowledged = assignmentIn(call.kept);
    if (match.assigned && acknowledged === match.assignments) {
      // Somebody woke it, and there is nothing to do yet; or its time is up.
      if (call.response !== undefined) return this.#outside(match, call);
      await this.#giveBack(match, 'no result came in time', true);
    } else if (match.assigned) await this.#tellAgain(match);
    while (match.result === null) {
      if (!match.assigned && !(await this.#assign(match, call.signal))) {
        if (call.signal.aborted) return { word: 'withdrawn' };
        await this.#decide(match);
        break;
      }
      if (await this.#hand(match, call.signal)) return this.#outside(match, call);
      if (call.signal.aborted) return { word: 'withdrawn' };
    }
    return done(match);
  }

  /** False: nobody will judge it. */
  async #assign(match: MatchState, signal: AbortSignal): Promise<boolean> {
    const { league, assigner, parts } = this.#of;
    if (this.#forfeits(match).length > 0) return false;
    const referees = league.state.all('referee').length;
    if (match.assignments >= parts.options.timeouts.attempts * Math.max(1, referees)) return false;
    const referee = await assigner.referee(match, signal);
    if (referee === null) return false;
    const { match_id } = match.match;
    const assignment = match.assignments + 1;
    const kept = league.record([
      { kind: 'fact', fact: { fact: 'match_assigned', match_id, referee_id: referee.id, assignment } },
      this.#of.outgoing.entry(referee, this.#assignment(match, referee, assignment)),
    ]);
    assigner.settled(referee.id);
    await kept;
    return true;
  }

  /** True when the referee has it, or its result is there already. */
  async #hand(match: MatchState, signal: AbortSignal): Promise<boolean> {
    const { league, outgoing, parts } = this.#of;
    const referee = league.state.agent('referee', match.referee ?? '');
    if (referee === undefined || referee.status === 'SUSPENDED') {
      await this.#giveBack(match, 'its referee is gone', false);
      return false;
    }
    const { assignments } = match;
    const question = this.#assignment(match, referee, assignments);
    const policy = parts.options.timeouts;
    const answer = await outgoing.ask(referee, question, { timeout_ms: policy.join_ms, policy, signal });
    if (match.result !== null || signal.aborted) return match.result !== null;
    // Given back meanwhile: whoever did that has said why.
    if (!match.assigned || match.assignments !== assignments) return false;
    if (answer?.is === 'answered') return true;
    const reason = answer === null ? 'no answer to the assignment' : 'the assignment was refused';
    await this.#giveBack(match, reason, true);
    return false;
  }

  /** An earlier process may have told the referee or not: it is told again, and takes it once. */
  async #tellAgain(match: MatchState): Promise<void> {
    const { league, outgoing } = this.#of;
    const referee = league.state.agent('referee', match.referee ?? '');
    if (referee === undefined) return;
    await league.record([outgoing.entry(referee, this.#assignment(match, referee, match.assignments))]);
  }

  #assignment(match: MatchState, to: AgentState, assignment: number) {
    const { parts, outgoing, league } = this.#of;
    const { match_id, round_id, players } = match.match;
    const { game_type, league_id } = parts.options;
    const endpoints = players.map(
      (id) => [id, league.state.agent('player', id)?.endpoint_url ?? ''] as const,
    );
    const payload: JsonObject = {
      ...{ match_id, round_id, game_type, players, player_endpoints: Object.fromEntries(endpoints) },
      match_token: matchToken(parts.cipher, league_id, match_id),
    };
    const id = `${league_id}.${match_id}.${assignment}`;
    return outgoing.question({
      type: 'MATCH_ASSIGNMENT',
      id,
      to,
      payload,
      context: { round_id, match_id, game_type },
    });
  }

  /** `lost`: the referee gets nothing more until it is heard of again. */
  async #giveBack(match: MatchState, reason: string, lost: boolean): Promise<void> {
    const { league, assigner } = this.#of;
    const referee_id = match.referee ?? '';
    const { match_id } = match.match;
    await league.recordFacts(
      { fact: 'match_given_back', match_id, referee_id, reason },
      ...(lost ? [{ fact: 'referee_lost', id: referee_id, reason } as const] : []),
    );
    assigner.look();
  }

  /** The league decides: who was suspended loses, and a match that nobody can judge is lost by both. */
  async #decide(match: MatchState): Promise<void> {
    const { league, parts } = this.#of;
    if (match.result !== null) return;
    const result = technicalResult(match, this.#forfeits(match), parts);
    parts.logger.warn('the league decides a match', { match_id: result.match_id, reason: result.reason });
    await league.recordFacts({ fact: 'result_accepted', result });
  }

  #forfeits({ match }: MatchState): readonly string[] {
    const { state } = this.#of.league;
    return match.players.filter((id) => state.agent('player', id)?.status === 'SUSPENDED');
  }

  #outside(match: MatchState, call: ProviderCall): Answer {
    if (match.result !== null) return done(match);
    const { parts } = this.#of;
    return {
      word: 'outside',
      wait: {
        kind: 'notification',
        ask: { match_id: match.match.match_id, referee: match.referee },
        kept: { assignment: match.assignments },
        token: wakeToken(parts, call.call_id),
        after_ms: matchPatience(parts.options.timeouts),
        late: 'resume',
      },
    };
  }
}

/** By what the engine knows that a task is woken by somebody who may: the same that services call back with. */
function wakeToken({ cipher }: ManagerParts, call_id: string): string {
  return cipher.mark(`callback ${call_id}`);
}

export function technicalResult(
  { match }: MatchState,
  forfeits: readonly string[],
  { options }: ManagerParts,
): MatchResult {
  const { match_id, round_id, players } = match;
  const loses = (id: string) => forfeits.length === 0 || forfeits.includes(id);
  const outcome = Object.fromEntries(players.map((id) => [id, loses(id) ? 'loss' : 'win'] as const));
  const reason = forfeits.length === 0 ? 'REFEREE_UNAVAILABLE' : 'a player was suspended';
  const points = pointsFor(scoringOf(options.games, options.game_type), outcome);
  return { match_id, round_id, players, outcome, points, by: null, reason };
}

function done(match: MatchState): Answer {
  return { word: 'done', result: JSON.stringify(match.result) };
}

function assignmentIn(kept: Json | undefined): number | null {
  const said = isObject(kept) ? kept['assignment'] : null;
  return typeof said === 'number' ? said : null;
}
