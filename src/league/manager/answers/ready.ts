import { fault } from '../../protocol/faults.ts';
import type { Fact } from '../facts.ts';
import { type Answerer, otherLeague } from './answer.ts';
import { whoAsks } from './register.ts';

/**
 * An agent has started. Where it is a referee that had a match, that match is lost with the process before: it is given back
 * and assigned anew, to whoever is free.
 */
export const ready: Answerer = {
  judge: (desk, question) => {
    const wrong = otherLeague(desk, question);
    if (wrong !== null) return wrong;
    return desk.league.state.status === 'COMPLETED'
      ? fault('INVALID_AGENT_STATE', 'the league has ended')
      : null;
  },
  answer: ({ league }, question) => {
    const { kind, id } = whoAsks(question);
    const facts: Fact[] = [{ fact: 'agent_ready', kind, id }];
    // The first time it has only just come, and a match may be on its way to it already.
    const again = league.state.agent(kind, id)?.status === 'ACTIVE';
    if (kind === 'referee' && again)
      for (const { match, referee, assigned } of league.state.matches.values())
        if (assigned && referee === id) {
          const reason = 'its referee started anew';
          facts.push({ fact: 'match_given_back', match_id: match.match_id, referee_id: id, reason });
        }
    league.registrationArrived(question.envelope.sender);
    return {
      payload: { status: 'ready', agent_id: id, agent_type: kind, agent_state: 'ACTIVE' },
      facts,
    };
  },
};
