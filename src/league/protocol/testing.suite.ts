import type { JsonObject } from '../../core/json.ts';
import { quiet } from '../../rpc/testing/quiet.suite.ts';
import type { Exchange, LeagueAgent, LeagueQuestion } from './agent.ts';
import { leagueDispatch } from './endpoint.ts';
import type { RequestType } from './messages.ts';

export const TOKEN = 'a-token-that-nobody-may-read';

/** A player that takes whatever its referee says, and remembers it. */
export class TestAgent implements LeagueAgent {
  readonly kind: LeagueAgent['kind'] = 'player';
  readonly sender: string = 'player:P1';
  readonly handled: LeagueQuestion[] = [];
  readonly refusals: Exchange[] = [];
  reply: (question: LeagueQuestion) => ReturnType<LeagueAgent['handle']> = async () => ({
    payload: { status: 'accepted', match_id: 'M1' },
  });
  authenticate: LeagueAgent['authenticate'] = ({ envelope }) =>
    envelope.auth_token === TOKEN
      ? null
      : { name: 'AUTHENTICATION_FAILED', code: -32600, details: 'the token is not the one of this sender' };
  judge: LeagueAgent['judge'] = () => null;

  async handle(question: LeagueQuestion) {
    this.handled.push(question);
    return this.reply(question);
  }

  status(): JsonObject {
    return { agent_state: 'ACTIVE' };
  }

  refused(exchange: Exchange): void {
    this.refusals.push(exchange);
  }
}

export const envelope = {
  protocol: 'league.v2',
  message_type: 'GAME_INVITATION' as RequestType,
  sender: 'referee:R1',
  timestamp: '2026-01-31T10:00:00Z',
  conversation_id: '6f0c5a4e-3f5b-4c39-9c5f-0d1d5c1c2b3a',
  auth_token: TOKEN,
  match_id: 'M1',
  game_type: 'even_odd',
};
export const payload = { match_id: 'M1', game_type: 'even_odd', opponents: ['P2'] };

export type Said = {
  readonly status: number;
  readonly id: unknown;
  readonly result?: { readonly envelope: JsonObject; readonly payload: JsonObject };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: {
      readonly error_code: string;
      readonly details: string;
      readonly envelope: JsonObject | null;
    };
  };
};

/** One body said to an agent, without a socket. */
export function teller(agent: LeagueAgent): (body: unknown) => Promise<Said> {
  const dispatch = leagueDispatch({ agent, ...quiet });
  return async (body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await dispatch.handle(text, undefined, new AbortController().signal);
    return { status: reply.status, ...JSON.parse(reply.text ?? 'null') };
  };
}

let count = 0;

export function question(
  changes: { readonly envelope?: object; readonly payload?: unknown; readonly id?: unknown } = {},
) {
  const params = { envelope: { ...envelope, ...changes.envelope }, payload: changes.payload ?? payload };
  return { jsonrpc: '2.0', id: changes.id ?? `q${++count}`, method: 'league.handle', params };
}
