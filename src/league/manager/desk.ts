import type { JsonObject } from '../../core/json.ts';
import type { NewEntry } from '../audit/journal.ts';
import type { Exchange, LeagueAgent, LeagueQuestion, LeagueReply } from '../protocol/agent.ts';
import { leagueResponse } from '../protocol/endpoint.ts';
import { METHOD, parseSender } from '../protocol/envelope.ts';
import { type Fault, type FaultName, fault } from '../protocol/faults.ts';
import { isRegistration, type RequestType } from '../protocol/messages.ts';
import { start, status, statusOf } from './answers/admin.ts';
import type { Answerer, Desk, Told } from './answers/answer.ts';
import { ready } from './answers/ready.ts';
import { register } from './answers/register.ts';
import { result } from './answers/result.ts';
import { standings } from './answers/standings.ts';
import type { Fact } from './facts.ts';
import type { League } from './league.ts';
import type { ManagerParts } from './parts.ts';
import { isToken, tokenHash } from './tokens.ts';

const answerers: Readonly<Partial<Record<RequestType, Answerer>>> = {
  REGISTER_REFEREE_REQUEST: register,
  REGISTER_PLAYER_REQUEST: register,
  AGENT_READY_REQUEST: ready,
  ADMIN_START_LEAGUE_REQUEST: start,
  ADMIN_GET_STATUS_REQUEST: status,
  MATCH_RESULT_REPORT: result,
  QUERY_STANDINGS: standings,
};

/** Read again they would be answered by what is the case then. */
const reads: readonly RequestType[] = ['ADMIN_GET_STATUS_REQUEST', 'QUERY_STANDINGS'];

/** What somebody hears who keeps to the rules and is only early, late or unsure whether it was heard. */
const honest: readonly FaultName[] = [
  'INTERNAL_ERROR',
  'PRECONDITION_FAILED',
  'INVALID_AGENT_STATE',
  'INVALID_ROUND_ID',
  'TIMEOUT_EXCEEDED',
  'DUPLICATE_RESULT',
];

/** What of a message that is refused is kept at most: anybody can send those. */
const REFUSED_SHOWN = 4096;

export type DeskEvents = {
  /** Something has changed: referees may be free, matches decided, the league started. */
  changed(facts: readonly Fact[]): void;
};

/** Answers what the manager is asked. Everything it hears and says is told in the log, together with what follows. */
export class ManagerDesk implements LeagueAgent {
  readonly kind = 'league_manager';
  readonly sender = 'league_manager';
  readonly #desk: Desk;
  readonly #events: DeskEvents;
  readonly #adminHash: string;

  constructor(league: League, parts: ManagerParts, events: DeskEvents) {
    this.#desk = { league, parts };
    this.#events = events;
    this.#adminHash = tokenHash(parts.options.admin_token);
  }

  authenticate({ envelope }: LeagueQuestion): Fault | null {
    if (isRegistration(envelope.message_type)) return null;
    const { league } = this.#desk;
    const { sender } = envelope;
    const kept = sender === 'admin' ? this.#adminHash : (league.tokens.get(sender)?.hash ?? null);
    const right = isToken(envelope.auth_token ?? '', kept);
    const suspended = league.state.agents.get(sender)?.status === 'SUSPENDED';
    return right && !suspended
      ? null
      : fault('AUTHENTICATION_FAILED', 'auth_token is not one that this sender may use');
  }

  judge(question: LeagueQuestion): Fault | null {
    return this.#answerer(question)?.judge(this.#desk, question) ?? null;
  }

  remembers({ envelope }: LeagueQuestion): boolean {
    return !reads.includes(envelope.message_type);
  }

  async handle(question: LeagueQuestion): Promise<LeagueReply | Fault> {
    const told = this.#answerer(question)?.answer(this.#desk, question);
    if (told === undefined) return fault('INVALID_MESSAGE_TYPE', 'this is not said to the manager');
    if ('code' in told) return told;
    const { clock } = this.#desk.parts;
    const response = leagueResponse({
      ...{ id: question.id, envelope: question.envelope, sender: this.sender, at: clock.wall() },
      payload: told.payload,
      context: { league_id: this.#desk.parts.options.league_id },
    });
    await this.#desk.league.record(entriesFor(question, told, response));
    this.#events.changed(told.facts);
    return { payload: told.payload, response };
  }

  /** Told in the log before it is said, like everything else: who floods waits for its own lines. */
  async refused({ request, response, proven, fault: wrong }: Exchange): Promise<void> {
    const peer = proven ?? 'unknown';
    const shown = JSON.stringify(request).length > REFUSED_SHOWN ? { too_large: true } : request;
    const facts = this.#violations(proven, wrong);
    const entries: NewEntry[] = [
      { kind: 'message', direction: 'in', peer, message: shown },
      { kind: 'message', direction: 'out', peer, message: response },
      ...facts.map((fact): NewEntry => ({ kind: 'fact', fact })),
    ];
    const kept = this.#desk.league.record(entries);
    if (facts.length > 1) this.#events.changed(facts);
    await kept.catch(() => {});
  }

  /** Only what a token proves counts against anybody: others could say anything in their name. */
  #violations(proven: string | null, wrong: Fault): readonly Fact[] {
    const { league, parts } = this.#desk;
    const agent = proven === null ? undefined : league.state.agents.get(proven);
    const sender = proven === null ? null : parseSender(proven);
    if (agent === undefined || sender === null || agent.status === 'SUSPENDED') return [];
    if (honest.includes(wrong.name)) return [];
    const { kind, id } = agent;
    const one: Fact = { fact: 'violation', kind, id, error_code: wrong.name };
    if (agent.violations + 1 < parts.options.violations_allowed) return [one];
    const reason = `${agent.violations + 1} messages broke a rule`;
    parts.logger.warn('an agent is suspended', { agent: `${kind}:${id}`, reason });
    return [one, { fact: 'agent_suspended', kind, id, reason }, ...this.#givenBack(kind, id)];
  }

  #givenBack(kind: string, id: string): readonly Fact[] {
    if (kind !== 'referee') return [];
    const theirs = [...this.#desk.league.state.matches.values()].filter(
      ({ assigned, referee }) => assigned && referee === id,
    );
    const reason = 'its referee was suspended';
    return theirs.map(({ match: { match_id } }) => ({
      ...{ fact: 'match_given_back', match_id, referee_id: id, reason },
    }));
  }

  status(): JsonObject {
    const { league, parts } = this.#desk;
    const { state } = league;
    return {
      ...statusOf(state, parts.options.league_id),
      ...{ game_type: parts.options.game_type, round_id: state.open_round },
      ...{ rounds: state.rounds.length, rounds_completed: state.finished.size },
      ...{ matches: state.matches.size, matches_completed: state.results.length },
      standings: [...state.standings()],
    };
  }

  #answerer({ envelope }: LeagueQuestion): Answerer | undefined {
    return answerers[envelope.message_type];
  }
}

/** What came, what follows from it, and what is said: one commit. */
function entriesFor(question: LeagueQuestion, told: Told, response: JsonObject): NewEntry[] {
  const { id, envelope, payload } = question;
  const peer = envelope.sender;
  const params = { envelope: { ...envelope }, payload };
  const facts = told.facts.map(
    (fact, index): NewEntry => ({
      ...{ kind: 'fact', fact },
      ...(index === 0 && told.token !== undefined ? { token: told.token } : {}),
    }),
  );
  return [
    { kind: 'message', direction: 'in', peer, message: { jsonrpc: '2.0', id, method: METHOD, params } },
    ...facts,
    { kind: 'message', direction: 'out', peer, message: response },
  ];
}
