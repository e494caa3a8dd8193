import type { JsonObject } from '../../core/json.ts';
import { type IdentityKeeper, lifeOf, sameToken } from '../agents/identity.ts';
import { passes } from '../agents/join-league.ts';
import { type AgentTools, askManager } from '../agents/to-manager.ts';
import { chanceOf } from '../chance.ts';
import type { Games } from '../games/registry.ts';
import type { LeagueAgent, LeagueQuestion, LeagueReply } from '../protocol/agent.ts';
import { type Fault, fault } from '../protocol/faults.ts';
import type { PayloadOf } from '../protocol/payloads.ts';
import { type Assignment, type Report, readAssignment, reportOf } from './assignment.ts';
import { Desk } from './desk.ts';
import { playMatch } from './match.ts';
import { tableOf } from './table.ts';

export type RefereeParts = {
  readonly referee_id: string;
  readonly keeper: IdentityKeeper;
  readonly games: Games;
  readonly seed: string;
  readonly manager_url: string;
  readonly tools: AgentTools;
};

/** Plays the matches that the manager assigns to it, whatever the game, and reports each until the manager has it. */
export class Referee implements LeagueAgent {
  readonly kind = 'referee';
  readonly sender: string;
  readonly #parts: RefereeParts;
  #active = false;
  readonly #desk: Desk;
  readonly #ending = new AbortController();
  /** Ends of matches that players are still being told. */
  readonly #telling = new Set<Promise<unknown>>();

  constructor(parts: RefereeParts) {
    this.#parts = parts;
    this.sender = `referee:${parts.referee_id}`;
    this.#desk = new Desk({
      play: (assignment) => this.#play(assignment),
      report: (report) => this.#report(report),
      logger: parts.tools.logger,
    });
  }

  authenticate({ envelope }: LeagueQuestion): Fault | null {
    return sameToken(envelope.auth_token, this.#parts.keeper.identity.auth_token)
      ? null
      : fault('AUTHENTICATION_FAILED', 'the token is not the one that the manager has given');
  }

  judge({ envelope }: LeagueQuestion): Fault | null {
    const { league_id } = this.#parts.keeper.identity;
    if (league_id !== null && envelope.league_id !== league_id)
      return fault('INVALID_LEAGUE_ID', 'this referee is in another league');
    if (envelope.message_type !== 'MATCH_ASSIGNMENT') return null;
    if (!this.#desk.open) return fault('REFEREE_UNAVAILABLE', 'this referee is stopping');
    return this.#parts.games.has(envelope.game_type ?? '')
      ? null
      : fault('MATCH_EXECUTION_FAILED', 'this referee does not know the game');
  }

  async handle(question: LeagueQuestion): Promise<LeagueReply | Fault> {
    if (question.envelope.message_type !== 'MATCH_ASSIGNMENT') return { payload: { status: 'acknowledged' } };
    const { match_id, game_type } = question.payload as PayloadOf<'MATCH_ASSIGNMENT'>;
    const assignment = readAssignment(question);
    if (assignment === null || !this.#parts.games.has(game_type))
      return fault(
        'MATCH_EXECUTION_FAILED',
        'a match needs a known game and two players with their endpoints',
      );
    this.#desk.take(assignment);
    return { payload: { status: 'acknowledged', match_id } };
  }

  /** The manager has been told that it is ready, and knows it. */
  ready(): void {
    this.#active = true;
  }

  status(): JsonObject {
    const { referee_id, keeper } = this.#parts;
    const { playing, waiting, played, held } = this.#desk;
    const state = lifeOf(keeper, this.#active);
    return { agent_type: 'referee', referee_id, state, playing, waiting, played, matches: held };
  }

  /** Takes no more; what it plays is played to its end. */
  quiet(): void {
    this.#desk.quiet();
  }

  /** Leaves what is not done by then to others. */
  async stop(deadline_ms: number): Promise<void> {
    this.quiet();
    const { timers } = this.#parts.tools;
    const cancel = timers.after(deadline_ms, () => this.#ending.abort());
    await this.#desk.done();
    await Promise.all(this.#telling);
    cancel();
    this.#ending.abort();
  }

  async #play(assignment: Assignment): Promise<Report> {
    const { tools, games, seed, keeper } = this.#parts;
    const { match_id, game_type } = assignment;
    const game = games.get(game_type);
    if (game === undefined) throw new Error(`there is no game ${game_type}`);
    const auth_token = keeper.identity.auth_token ?? '';
    const { signal } = this.#ending;
    const table = tableOf({ tools, assignment, sender: this.sender, auth_token, signal });
    const end = await playMatch(game, table, chanceOf('match', seed, match_id));
    // How it ended is told while it is reported: the league does not wait for players that are gone.
    for (const seat of [0, 1] as const) {
      const told = table.over(seat, end).catch(() => {});
      this.#telling.add(told);
      void told.then(() => this.#telling.delete(told));
    }
    return reportOf(assignment, end, tools.random);
  }

  async #report({ id, context, payload }: Report): Promise<void> {
    const { tools, manager_url, keeper } = this.#parts;
    const line = { tools, url: manager_url, sender: this.sender, signal: this.#ending.signal };
    const answer = await askManager(line, {
      ...{ type: 'MATCH_RESULT_REPORT', id, context, payload, again: passes },
      ...{ auth_token: keeper.identity.auth_token ?? '', timeout_ms: tools.policy.result_ms },
    });
    if (answer.is === 'answered') return;
    const { error_code, details } = answer;
    const known = error_code === 'DUPLICATE_RESULT';
    const fields = { match_id: context.match_id, error_code, details };
    if (known) tools.logger.debug('the result was known already', fields);
    else tools.logger.warn('the league manager does not take the result', fields);
  }
}
