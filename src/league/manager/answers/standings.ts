import { fault } from '../../protocol/faults.ts';
import { type Answerer, otherLeague } from './answer.ts';

/** Of a finished round as they were when it ended; without a round, as they are. */
export const standings: Answerer = {
  judge: otherLeague,
  answer: ({ league, parts }, { payload }) => {
    const { state } = league;
    const asked = payload['round_id'];
    if (typeof asked !== 'string') {
      const round_id = state.open_round ?? [...state.finished.keys()].at(-1) ?? null;
      const updated_at = new Date(parts.clock.wall()).toISOString();
      return { payload: { round_id, updated_at, standings: [...state.standings()] }, facts: [] };
    }
    const finished = state.finished.get(asked);
    if (finished !== undefined) {
      const { at, standings: table } = finished;
      return { payload: { round_id: asked, updated_at: at, standings: [...table] }, facts: [] };
    }
    return state.rounds.some(({ round_id }) => round_id === asked)
      ? fault('INVALID_ROUND_ID', 'this round has not ended yet')
      : fault('INVALID_ROUND_ID', 'there is no such round');
  },
};
