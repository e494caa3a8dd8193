import type { League } from './league.ts';
import type { AgentState, MatchState } from './state.ts';

type Waiting = { readonly match: MatchState; readonly granted: (referee: AgentState | null) => void };

/** Finds a referee for each match that waits: one that is there, has no match, and is the one planned where that is possible. */
export class Assigner {
  readonly #league: League;
  #waiting: Waiting[] = [];
  /** Granted a moment ago, and not in the log yet. */
  readonly #promised = new Set<string>();

  constructor(league: League) {
    this.#league = league;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Null: the signal ended it, nobody is left to judge it, or it needs no referee any more. `taken` is to be called once the match is down as theirs. */
  referee(match: MatchState, signal: AbortSignal): Promise<AgentState | null> {
    const { promise, resolve } = Promise.withResolvers<AgentState | null>();
    if (signal.aborted) return Promise.resolve(null);
    const waiting = { match, granted: resolve };
    signal.addEventListener('abort', () => this.#leave(waiting));
    this.#waiting.push(waiting);
    this.#waiting.sort((a, b) => byOrder(a.match, b.match));
    this.look();
    return promise;
  }

  /** What was promised stands in the log, or came to nothing. */
  settled(referee_id: string): void {
    this.#promised.delete(referee_id);
    this.look();
  }

  /** Somebody may be free, or a match decided without being played. */
  look(): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.match.result !== null || this.#isForfeit(waiting.match)) this.#leave(waiting);
    }
    const free = this.#free();
    // Planned ones first, so that no free referee is given to a match while the one it is planned for stands idle.
    for (const planned of [true, false])
      for (const waiting of [...this.#waiting]) {
        const index = free.findIndex(({ id }) => !planned || id === waiting.match.match.referee);
        const referee = index === -1 ? undefined : free.splice(index, 1)[0];
        if (referee === undefined) continue;
        this.#promised.add(referee.id);
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        waiting.granted(referee);
      }
  }

  /** Nobody will come. */
  giveUp(): void {
    for (const waiting of [...this.#waiting]) this.#leave(waiting);
  }

  /** Whether there is anybody who could judge, now or when it is free. */
  hasReferees(): boolean {
    return this.#league.state.all('referee').some(isThere);
  }

  #isForfeit({ match }: MatchState): boolean {
    return match.players.some((id) => this.#league.state.agent('player', id)?.status === 'SUSPENDED');
  }

  #free(): AgentState[] {
    const { state } = this.#league;
    const busy = new Set(this.#promised);
    for (const { assigned, referee } of state.matches.values())
      if (assigned && referee !== null) busy.add(referee);
    return state.all('referee').filter((referee) => isThere(referee) && !busy.has(referee.id));
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
    waiting.granted(null);
  }
}

function isThere({ status, lost }: AgentState): boolean {
  return status !== 'SUSPENDED' && !lost;
}

/** As scheduled: rounds and matches have numbers. */
function byOrder(one: MatchState, other: MatchState): number {
  const [a, b] = [one.match.match_id, other.match.match_id];
  return a.length - b.length || (a < b ? -1 : 1);
}
