import type { Standing } from '../protocol/payloads.ts';
import type { Round, ScheduledMatch } from '../rules/schedule.ts';
import { standingsOf } from '../rules/standings.ts';
import type { AgentKind, Fact, LeagueRules, MatchResult } from './facts.ts';

export type LeagueStatus = 'REGISTRATION' | 'SCHEDULING' | 'ACTIVE' | 'COMPLETED';
export type AgentStatus = 'REGISTERED' | 'ACTIVE' | 'SUSPENDED' | 'SHUTDOWN';

export type AgentState = {
  readonly kind: AgentKind;
  readonly id: string;
  readonly endpoint_url: string;
  status: AgentStatus;
  violations: number;
  /** A referee that did not answer: it gets no match until it is heard of again. */
  lost: boolean;
};

export type MatchState = {
  readonly match: ScheduledMatch;
  /** Who has it now, or had it last. */
  referee: string | null;
  /** Whether that one still has it. */
  assigned: boolean;
  assignments: number;
  /** Those who had it and do not have it any more. */
  former: string[];
  result: MatchResult | null;
};

export type RoundStanding = { readonly at: string; readonly standings: readonly Standing[] };

/** What a league has come to: nothing but the fold of its facts, so that a log that is read again gives the same. */
export class LeagueState {
  rules: LeagueRules | null = null;
  status: LeagueStatus = 'REGISTRATION';
  /** Nobody registers after this; null where only the start ends it. */
  closes_at: number | null = null;
  rounds: readonly Round[] = [];
  /** The round that is played; null before the first and after the last. */
  open_round: string | null = null;
  readonly agents = new Map<string, AgentState>();
  readonly matches = new Map<string, MatchState>();
  readonly results: MatchResult[] = [];
  readonly finished = new Map<string, RoundStanding>();

  agent(kind: AgentKind, id: string): AgentState | undefined {
    return this.agents.get(`${kind}:${id}`);
  }

  all(kind: AgentKind): readonly AgentState[] {
    return [...this.agents.values()].filter((agent) => agent.kind === kind);
  }

  standings(): readonly Standing[] {
    return standingsOf(
      this.all('player').map(({ id }) => id),
      this.results,
    );
  }

  apply(fact: Fact): void {
    switch (fact.fact) {
      case 'league_opened':
        this.rules = fact.rules;
        this.closes_at = fact.closes_at ?? null;
        return;
      case 'agent_registered': {
        const { kind, id, endpoint_url } = fact;
        const fresh = { status: 'REGISTERED', violations: 0, lost: false } as const;
        this.agents.set(`${kind}:${id}`, { kind, id, endpoint_url, ...fresh });
        return;
      }
      case 'league_started':
        this.status = 'SCHEDULING';
        return;
      case 'schedule_made':
        this.#schedule(fact.rounds);
        return;
      case 'round_opened':
        this.open_round = fact.round_id;
        return;
      case 'round_completed':
        this.open_round = null;
        this.finished.set(fact.round_id, { at: fact.at, standings: fact.standings });
        return;
      case 'league_completed':
        this.status = 'COMPLETED';
        for (const agent of this.agents.values()) if (agent.status !== 'SUSPENDED') agent.status = 'SHUTDOWN';
        return;
      case 'match_assigned':
      case 'match_given_back':
      case 'result_accepted':
        this.#ofMatch(fact);
        return;
      default:
        this.#ofAgent(fact);
    }
  }

  #schedule(rounds: readonly Round[]): void {
    this.status = 'ACTIVE';
    this.rounds = rounds;
    for (const match of rounds.flatMap(({ matches }) => matches))
      this.matches.set(match.match_id, {
        former: [],
        match,
        referee: null,
        assigned: false,
        assignments: 0,
        result: null,
      });
  }

  #ofMatch(fact: Extract<Fact, { fact: 'match_assigned' | 'match_given_back' | 'result_accepted' }>): void {
    const match_id = fact.fact === 'result_accepted' ? fact.result.match_id : fact.match_id;
    const match = this.matches.get(match_id);
    if (match === undefined) return;
    if (fact.fact === 'match_assigned') {
      match.referee = fact.referee_id;
      match.assignments = fact.assignment;
      match.assigned = true;
    } else match.assigned = false;
    if (fact.fact === 'match_given_back') match.former.push(fact.referee_id);
    // Counted once, whatever a log says twice.
    if (fact.fact !== 'result_accepted' || match.result !== null) return;
    match.result = fact.result;
    this.results.push(fact.result);
  }

  #ofAgent(
    fact: Extract<
      Fact,
      { fact: 'agent_ready' | 'agent_suspended' | 'violation' | 'referee_lost' | 'referee_back' }
    >,
  ): void {
    const agent = this.agent('kind' in fact ? fact.kind : 'referee', fact.id);
    if (agent === undefined) return;
    if (fact.fact === 'agent_ready') agent.status = 'ACTIVE';
    if (fact.fact === 'agent_suspended') agent.status = 'SUSPENDED';
    if (fact.fact === 'violation') agent.violations++;
    if (fact.fact === 'referee_lost') agent.lost = true;
    if (fact.fact === 'referee_back' || fact.fact === 'agent_ready') agent.lost = false;
  }
}
