import { canonicalJson } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import type { Fact, MatchResult } from '../manager/facts.ts';
import { LeagueState } from '../manager/state.ts';
import type { Standing } from '../protocol/payloads.ts';
import { makeSchedule, type Round } from '../rules/schedule.ts';
import { isPossible, pointsFor, scoringOf } from '../rules/scoring.ts';
import { verify } from './verify.ts';

export type Replay = {
  readonly intact: boolean;
  readonly league_id: string | null;
  readonly status: LeagueState['status'];
  readonly lines: number;
  readonly schedule: readonly Round[];
  readonly results: readonly MatchResult[];
  readonly standings: readonly Standing[];
  /** Where what follows from the log is not what the log says. Empty: all of it agrees. */
  readonly differences: readonly string[];
};

/**
 * Plays a league again from its log alone: the schedule is made anew from players, referees and seed, points are counted anew
 * from outcomes, tables from points; and each is held against what the log says was decided then.
 */
export async function replay(lines: AsyncIterable<string> | Iterable<string>): Promise<Replay> {
  const state = new LeagueState();
  const differences: string[] = [];
  const found = await verify(lines, ({ entry, seq }) => {
    if (entry.kind !== 'fact') return;
    const trouble = check(state, entry.fact);
    if (trouble !== null) differences.push(`line ${seq}: ${trouble}`);
    state.apply(entry.fact);
  });
  if (!found.intact) differences.push(`line ${found.line}: ${found.reason}`);
  return {
    ...{ intact: found.intact, league_id: state.rules?.league_id ?? null, status: state.status },
    lines: found.intact ? found.lines : found.line - 1,
    ...{ schedule: state.rounds, results: state.results, standings: state.standings(), differences },
  };
}

/** Held against the state before it. */
function check(state: LeagueState, fact: Fact): string | null {
  if (fact.fact === 'schedule_made') return checkSchedule(state, fact.rounds);
  if (fact.fact === 'result_accepted') return checkResult(state, fact.result);
  if (fact.fact !== 'round_completed') return null;
  if (state.finished.has(fact.round_id)) return `round ${fact.round_id} was completed before`;
  return same(state.standings(), fact.standings) ? null : `the standings of ${fact.round_id} are others`;
}

function checkSchedule(state: LeagueState, rounds: readonly Round[]): string | null {
  const ids = (kind: 'player' | 'referee') =>
    state
      .all(kind)
      .filter(({ status }) => status !== 'SUSPENDED')
      .map(({ id }) => id);
  const seed = state.rules?.seed ?? '';
  const made = makeSchedule({ players: ids('player'), referees: ids('referee'), seed });
  return same(made, rounds) ? null : 'the schedule is another one than players, referees and seed give';
}

function checkResult(state: LeagueState, result: MatchResult): string | null {
  const { match_id, players, outcome, points } = result;
  const match = state.matches.get(match_id);
  if (match === undefined) return `there is no match ${match_id}`;
  if (match.result !== null) return `${match_id} has a result already`;
  if (!same(match.match.players, players) || !isPossible(players, outcome))
    return `the result of ${match_id} is not one of its players`;
  const scoring = scoringOf(state.rules?.games ?? {}, state.rules?.game_type ?? '');
  return same(pointsFor(scoring, outcome), points) ? null : `the points of ${match_id} are others`;
}

function same(one: unknown, other: unknown): boolean {
  return text(one) === text(other);
}

function text(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}
