import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isSettled } from '../../core/task.ts';
import { callbackToken } from '../../engine/outside.ts';
import { pause } from '../protocol/patience.ts';
import type { Round } from '../rules/schedule.ts';
import { announce } from './announce.ts';
import type { League } from './league.ts';
import { LEAGUE_PROTOCOL, technicalResult } from './match-task.ts';
import type { Outgoing } from './outgoing.ts';
import type { ManagerParts } from './parts.ts';

const LOOK_MS = 30_000;
const SOON_MS = 20;
const TROUBLE_MS = 500;
/** A match may wait for a referee for as long as a league can last. */
const LONGEST_WAIT = '30d';

/** Plays one round after another: each is a run of the engine, and what was begun before a crash is found again there. */
export class Conductor {
  readonly #league: League;
  readonly #parts: ManagerParts;
  readonly #outgoing: Outgoing;
  readonly #signal: AbortSignal;
  /** By match. */
  readonly #tasks = new Map<string, string>();
  #running: Promise<void> | null = null;

  constructor(
    league: League,
    parts: ManagerParts,
    { outgoing, signal }: { outgoing: Outgoing; signal: AbortSignal },
  ) {
    this.#league = league;
    this.#parts = parts;
    this.#outgoing = outgoing;
    this.#signal = signal;
  }

  /** Goes on where the league stands. Safe to repeat. */
  begin(): void {
    const { status } = this.#league.state;
    if (this.#running !== null || status === 'REGISTRATION' || status === 'COMPLETED') return;
    this.#running = this.#play().catch((thrown: unknown) => {
      if (this.#signal.aborted) return;
      this.#parts.logger.error('the league cannot go on', { error: GleitzeitError.from(thrown).message });
    });
  }

  async stopped(): Promise<void> {
    await this.#running;
  }

  async #play(): Promise<void> {
    const { state } = this.#league;
    for (const round of state.rounds) {
      if (state.finished.has(round.round_id)) continue;
      await this.#round(round);
      if (this.#signal.aborted) return;
    }
    await this.#league.recordFacts({ fact: 'league_completed' });
    this.#parts.logger.info('the league is over', { league_id: this.#parts.options.league_id });
  }

  async #round(round: Round): Promise<void> {
    const { state } = this.#league;
    const { round_id } = round;
    if (state.open_round !== round_id) await this.#league.recordFacts({ fact: 'round_opened', round_id });
    await announce(this.#league, this.#parts, { outgoing: this.#outgoing, round, signal: this.#signal });
    const workflow_id = await this.#patiently(() => this.#submit(round));
    if (workflow_id === null) return;
    for (const { match_id } of round.matches)
      if (state.matches.get(match_id)?.result != null) void this.wake(match_id);
    if (!(await this.#over(workflow_id))) return;
    await this.#close(round);
  }

  /** The same round is the same run, however often it is submitted. */
  async #submit({ round_id, matches }: Round): Promise<string> {
    const { league_id, game_type } = this.#parts.options;
    const workflow = {
      name: `league ${league_id} ${round_id}`,
      tasks: matches.map(({ match_id, players }) => ({
        ...{ id: match_id, protocol: LEAGUE_PROTOCOL, method: 'match', timeout: LONGEST_WAIT },
        params: { league_id, round_id, match_id, game_type, players },
        retry_config: { max_attempts: 100 },
      })),
    };
    const idempotency_key = `league/${league_id}/${round_id}`;
    const { workflow_id, tasks } = await this.#parts.engine().submitWorkflow(workflow, { idempotency_key });
    for (const [match_id, task_id] of tasks) this.#tasks.set(match_id, task_id);
    return workflow_id ?? '';
  }

  async #over(workflow_id: string): Promise<boolean> {
    while (!this.#signal.aborted) {
      const run = await this.#patiently(() =>
        this.#parts.engine().runResult(workflow_id, LOOK_MS, this.#signal),
      );
      if (run === null) return false;
      if (run.status !== 'running' && run.status !== 'paused') return true;
    }
    return false;
  }

  /** A run that somebody cancelled, or a task that failed, leaves a match undecided: the league goes on all the same. */
  async #close({ round_id, matches }: Round): Promise<void> {
    const { state } = this.#league;
    for (const { match_id } of matches) {
      const match = state.matches.get(match_id);
      if (match === undefined || match.result !== null) continue;
      const result = { ...technicalResult(match, [], this.#parts), reason: 'MATCH_EXECUTION_FAILED' };
      await this.#league.recordFacts({ fact: 'result_accepted', result });
    }
    const at = new Date(this.#parts.clock.wall()).toISOString();
    await this.#league.recordFacts({ fact: 'round_completed', round_id, at, standings: state.standings() });
  }

  /**
   * The task of a match goes on: its result is there, or its referee is gone. Said until it is heard: a task that does not
   * wait yet remembers it, and one that has ended needs no word.
   */
  async wake(match_id: string): Promise<void> {
    const task_id = this.#tasks.get(match_id);
    const match = this.#league.state.matches.get(match_id);
    if (task_id === undefined || match === undefined) return;
    const { engine, reads, cipher, timers } = this.#parts;
    const body: JsonObject = { assignment: match.assignments, decided: match.result !== null };
    await this.#patiently(async () => {
      const found = await reads.task(task_id);
      if (found === null || isSettled(found.task.status)) return 'taken';
      const token = callbackToken(cipher, found.task);
      const said = await engine().responses.notify(task_id, { token, body });
      if (said !== 'soon') return said;
      await pause(timers, SOON_MS, this.#signal);
      throw new GleitzeitError('GLZ1011', 'the task has not begun');
    });
  }

  /** Until it works or the league stops; null then. */
  async #patiently<Value>(action: () => Promise<Value>): Promise<Value | null> {
    while (!this.#signal.aborted) {
      try {
        return await action();
      } catch (thrown) {
        const { code, message } = GleitzeitError.from(thrown);
        if (this.#signal.aborted) return null;
        if (code !== 'GLZ1011') {
          this.#parts.logger.warn('the engine did not take what the league asked for', {
            code,
            error: message,
          });
          await pause(this.#parts.timers, TROUBLE_MS, this.#signal);
        }
      }
    }
    return null;
  }
}
