import type { LeagueQuestion } from '../../protocol/agent.ts';
import { parseSender, senderText } from '../../protocol/envelope.ts';
import { type Fault, fault, payloadFault } from '../../protocol/faults.ts';
import { isLoopbackHost } from './../endpoints.ts';
import type { AgentKind } from '../facts.ts';
import { issueToken } from '../tokens.ts';
import { type Answerer, type Desk, otherLeague } from './answer.ts';

/** Referees come first, then players, each id once, while the window is open. */
export const register: Answerer = {
  judge: (desk, question) => {
    const { state } = desk.league;
    const { kind } = whoAsks(question);
    const wrong = otherLeague(desk, question);
    if (wrong !== null) return wrong;
    if (state.status !== 'REGISTRATION') return fault('REGISTRATION_CLOSED', 'the league has started');
    if (state.closes_at !== null && desk.parts.clock.wall() >= state.closes_at)
      return fault('REGISTRATION_CLOSED', 'the time to register is over');
    if (state.agents.has(question.envelope.sender))
      return fault('DUPLICATE_REGISTRATION', 'this id is registered already');
    if (state.all(kind).length >= desk.parts.options.most_agents[kind])
      return fault('REGISTRATION_CLOSED', `the league takes no more ${kind}s`);
    if (kind === 'player' && state.all('referee').every(({ status }) => status === 'SUSPENDED'))
      return fault('PRECONDITION_FAILED', 'players are taken once a referee is there');
    return null;
  },
  answer: ({ league, parts }, question) => {
    const { kind, id } = whoAsks(question);
    const { payload } = question;
    if (payload[`${kind}_id`] !== id)
      return payloadFault(
        kind === 'referee' ? 'INVALID_REFEREE_ID' : 'INVALID_PLAYER_ID',
        `${kind}_id is not the id of the sender`,
      );
    const endpoint_url = String(payload['endpoint_url']);
    const wrong = wrongEndpoint(endpoint_url, parts.options.agent_hosts);
    if (wrong !== null) return wrong;
    const { token, kept } = issueToken(parts.cipher, parts.random);
    league.registeredUnder(senderText(kind, id), question.id);
    return {
      payload: { status: 'registered', auth_token: token, league_id: parts.options.league_id },
      facts: [{ fact: 'agent_registered', kind, id, endpoint_url }],
      token: kept,
    };
  },
};

export function whoAsks({ envelope }: LeagueQuestion): { readonly kind: AgentKind; readonly id: string } {
  const sender = parseSender(envelope.sender);
  if (sender?.kind === 'referee' || sender?.kind === 'player') return sender;
  throw new Error('only referees and players are asked for here');
}

/** Whoever registers says where it is called: so that must not be just anywhere. */
function wrongEndpoint(endpoint_url: string, hosts: Desk['parts']['options']['agent_hosts']): Fault | null {
  const url = URL.parse(endpoint_url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return payloadFault('INVALID_ENVELOPE_FIELD', 'endpoint_url must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    return payloadFault('INVALID_ENVELOPE_FIELD', 'endpoint_url must not carry a name or a password');
  if (isLoopbackHost(url.hostname) || hosts.includes(url.hostname)) return null;
  return payloadFault('INVALID_ENVELOPE_FIELD', 'endpoint_url is at a host that this league does not call');
}
