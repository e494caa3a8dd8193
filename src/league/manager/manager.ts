import type { GleitzeitError } from '../../core/errors.ts';
import type { Provider } from '../../core/ports/provider.ts';
import type { Route } from '../../rpc/listener/route.ts';
import { leagueRoutes } from '../protocol/endpoint.ts';
import { Assigner } from './assigner.ts';
import { Conductor } from './conductor.ts';
import { ManagerDesk } from './desk.ts';
import type { Fact } from './facts.ts';
import { League } from './league.ts';
import { MatchTask } from './match-task.ts';
import { Outgoing } from './outgoing.ts';
import type { ManagerParts } from './parts.ts';
import type { LeagueState } from './state.ts';
import { Watch } from './watch.ts';

/**
 * Manages one league on an engine. Main mounts `routes`, and gives the engine `provider` for the protocol of `match-task.ts`.
 * The order is: `open`, start the engine, `start`, and the listener last; to stop: the listener, `quiet`, the engine, `stop`.
 */
export class LeagueManager {
  readonly routes: readonly Route[];
  readonly provider: Provider;
  readonly #league: League;
  readonly #assigner: Assigner;
  readonly #conductor: Conductor;
  readonly #watch: Watch;
  readonly #stop = new AbortController();

  constructor(parts: ManagerParts) {
    const { logger, clock } = parts;
    this.#league = new League(parts);
    this.#assigner = new Assigner(this.#league);
    const league = this.#league;
    const outgoing = new Outgoing(league, parts);
    this.provider = new MatchTask({ league, parts, assigner: this.#assigner, outgoing });
    this.#conductor = new Conductor(league, parts, { outgoing, signal: this.#stop.signal });
    const changed = (facts: readonly Fact[]) => this.#changed(facts);
    this.#watch = new Watch({ league, parts, assigner: this.#assigner, changed });
    const agent = new ManagerDesk(league, parts, { changed });
    this.routes = leagueRoutes({ agent, clock, logger, repeats: league.repeats });
  }

  /** What the league has come to. To be read only. */
  get state(): LeagueState {
    return this.#league.state;
  }

  /** Resolves with the reason when this league is somebody else's, and nothing can be written any more. */
  get lost(): Promise<GleitzeitError> {
    return this.#league.lost;
  }

  /** Takes up what an earlier process left. */
  async open(): Promise<void> {
    await this.#league.open();
  }

  /** Goes on with the league; the engine runs by now. */
  async start(): Promise<void> {
    this.#watch.start();
    this.#conductor.begin();
  }

  /** Begins nothing more. */
  async quiet(): Promise<void> {
    this.#watch.stop();
    this.#stop.abort();
    await this.#conductor.stopped();
    await this.#league.settled();
  }

  /** After the engine has stopped: what was told is durable, and the file complete. */
  async stop(): Promise<void> {
    await this.quiet();
    await this.#league.close();
  }

  #changed(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.fact === 'result_accepted') void this.#conductor.wake(fact.result.match_id);
      if (fact.fact === 'match_given_back') void this.#conductor.wake(fact.match_id);
    }
    this.#conductor.begin();
    this.#assigner.look();
  }
}
