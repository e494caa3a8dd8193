import type { JsonObject } from '../../../core/json.ts';
import { fault } from '../../protocol/faults.ts';
import { makeSchedule } from '../../rules/schedule.ts';
import type { AgentKind } from '../facts.ts';
import type { LeagueState } from '../state.ts';
import { type Answerer, otherLeague } from './answer.ts';

const LEAST = { referee: 1, player: 2 } as const;

export const start: Answerer = {
  judge: (desk, question) => {
    const { state } = desk.league;
    const wrong = otherLeague(desk, question);
    if (wrong !== null) return wrong;
    if (state.status !== 'REGISTRATION')
      return fault('PRECONDITION_FAILED', 'the league has started already');
    return canStart(state)
      ? null
      : fault('PRECONDITION_FAILED', 'a league needs at least 1 referee and 2 players');
  },
  answer: ({ league, parts }) => {
    const { state } = league;
    const ids = (kind: AgentKind) => playing(state, kind).map(({ id }) => id);
    const { seed } = parts.options;
    const rounds = makeSchedule({ players: ids('player'), referees: ids('referee'), seed });
    const matches = rounds.reduce((sum, round) => sum + round.matches.length, 0);
    const message = `${matches} matches in ${rounds.length} rounds`;
    return {
      payload: { status: 'started', league_status: 'ACTIVE', message },
      facts: [{ fact: 'league_started' }, { fact: 'schedule_made', rounds }],
    };
  },
};

export const status: Answerer = {
  judge: otherLeague,
  answer: ({ league, parts }) => ({
    payload: statusOf(league.state, parts.options.league_id),
    facts: [],
  }),
};

export function statusOf(state: LeagueState, league_id: string): JsonObject {
  const shown = (kind: AgentKind) =>
    state.all(kind).map((agent) => ({ agent_id: agent.id, agent_state: agent.status }));
  const can_start = state.status === 'REGISTRATION' && canStart(state);
  return { league_id, status: state.status, referees: shown('referee'), players: shown('player'), can_start };
}

function canStart(state: LeagueState): boolean {
  return (['referee', 'player'] as const).every((kind) => playing(state, kind).length >= LEAST[kind]);
}

export function playing(state: LeagueState, kind: AgentKind) {
  return state.all(kind).filter((agent) => agent.status !== 'SUSPENDED');
}
