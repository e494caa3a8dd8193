import type { Standing } from '../protocol/payloads.ts';
import type { Round } from '../rules/schedule.ts';
import type { GameRegistry, Outcomes } from '../rules/scoring.ts';

export type AgentKind = 'referee' | 'player';

/** What the league is played by. Told once, so that the log alone says what all of it follows from. */
export type LeagueRules = {
  readonly league_id: string;
  readonly game_type: string;
  readonly seed: string;
  readonly games: GameRegistry;
};

/** How a match came out. `by` is the referee who said so; null where the league decided it, for the reason it gives. */
export type MatchResult = {
  readonly match_id: string;
  readonly round_id: string;
  readonly players: readonly [string, string];
  readonly outcome: Outcomes;
  readonly points: Readonly<Record<string, number>>;
  readonly by: string | null;
  readonly reason?: string;
};

/** Everything that ever changes in a league, as it stands in the log. What the league is, is the fold of these. */
export type Fact =
  | {
      readonly fact: 'league_opened';
      readonly rules: LeagueRules;
      /** When registration ends by itself, in milliseconds of wall time; left out where only the start ends it. */
      readonly closes_at?: number;
    }
  | {
      readonly fact: 'agent_registered';
      readonly kind: AgentKind;
      readonly id: string;
      readonly endpoint_url: string;
    }
  | { readonly fact: 'agent_ready'; readonly kind: AgentKind; readonly id: string }
  | {
      readonly fact: 'agent_suspended';
      readonly kind: AgentKind;
      readonly id: string;
      readonly reason: string;
    }
  | { readonly fact: 'violation'; readonly kind: AgentKind; readonly id: string; readonly error_code: string }
  | { readonly fact: 'league_started' }
  | { readonly fact: 'schedule_made'; readonly rounds: readonly Round[] }
  | { readonly fact: 'round_opened'; readonly round_id: string }
  | {
      readonly fact: 'match_assigned';
      readonly match_id: string;
      readonly referee_id: string;
      /** Counted for each match from 1. */
      readonly assignment: number;
    }
  | {
      readonly fact: 'match_given_back';
      readonly match_id: string;
      readonly referee_id: string;
      readonly reason: string;
    }
  | { readonly fact: 'referee_lost'; readonly id: string; readonly reason: string }
  | { readonly fact: 'referee_back'; readonly id: string }
  | { readonly fact: 'result_accepted'; readonly result: MatchResult }
  | {
      readonly fact: 'round_completed';
      readonly round_id: string;
      readonly at: string;
      readonly standings: readonly Standing[];
    }
  | { readonly fact: 'league_completed' };
