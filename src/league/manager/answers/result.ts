import { isObject } from '../../../core/json.ts';
import type { LeagueQuestion } from '../../protocol/agent.ts';
import { type Fault, fault, payloadFault, WRONG_STATE } from '../../protocol/faults.ts';
import { isPossible, type Outcomes, pointsFor, scoringOf } from '../../rules/scoring.ts';
import type { MatchState } from '../state.ts';
import { type Answerer, type Desk, otherLeague } from './answer.ts';
import { whoAsks } from './register.ts';

/** One result counts for each match: the first, from the referee that has it or had it last. */
export const result: Answerer = {
  judge: (desk, question) => {
    const { match_id, round_id } = question.envelope;
    const wrong = otherLeague(desk, question);
    if (wrong !== null) return wrong;
    const known = desk.league.state.matches.get(match_id ?? '');
    if (known === undefined) return fault('INVALID_MATCH_ID', 'there is no such match');
    if (known.match.round_id !== round_id) return fault('INVALID_ROUND_ID', 'the match is of another round');
    if (known.result !== null) return fault('DUPLICATE_RESULT', 'this match has its result');
    const { id } = whoAsks(question);
    if (known.referee === id) return null;
    if (known.former.includes(id)) return fault('TIMEOUT_EXCEEDED', 'the match was given to another referee');
    const details = 'the match was not assigned to this referee';
    return { name: 'INVALID_REFEREE_ID', code: WRONG_STATE, details };
  },
  answer: (desk, question) => {
    const { league, parts } = desk;
    const known = league.state.matches.get(question.envelope.match_id ?? '');
    if (known === undefined) return fault('INVALID_MATCH_ID', 'there is no such match');
    const wrong = wrongReport(desk, known, question);
    if (wrong !== null) return wrong;
    const { match_id, round_id, players } = known.match;
    const outcome = question.payload['outcome'] as Outcomes;
    // The league counts by its own registry; what the referee reckons stands in the log.
    const points = pointsFor(scoringOf(parts.options.games, parts.options.game_type), outcome);
    const by = whoAsks(question).id;
    return {
      payload: { status: 'acknowledged', match_id },
      facts: [{ fact: 'result_accepted', result: { match_id, round_id, players, outcome, points, by } }],
    };
  },
};

function wrongReport({ parts }: Desk, { match }: MatchState, { payload }: LeagueQuestion): Fault | null {
  if (payload['game_type'] !== parts.options.game_type)
    return payloadFault('INVALID_ENVELOPE_FIELD', 'game_type is not the game of this league');
  const { players, outcome } = payload;
  const named = Array.isArray(players) ? [...players].sort().join(' ') : '';
  if (named !== [...match.players].sort().join(' '))
    return payloadFault('INVALID_PLAYER_ID', 'players are not those of the match');
  if (!isObject(outcome) || !isPossible(match.players, outcome as Outcomes))
    return payloadFault(
      'INVALID_ENVELOPE_FIELD',
      'outcome must be a win and a loss, two draws or two losses',
    );
  return null;
}
