import { matchPatience } from '../protocol/timeout-policy.ts';
import type { Assigner } from './assigner.ts';
import type { Fact } from './facts.ts';
import type { League } from './league.ts';
import type { ManagerParts } from './parts.ts';
import type { AgentState } from './state.ts';

/** Not answering so many times in a row is being gone. */
const FAILURES = 3;
const PROBE_TIMEOUT_MS = 2000;

export type WatchParts = {
  readonly league: League;
  readonly parts: ManagerParts;
  readonly assigner: Assigner;
  /** These were recorded. */
  readonly changed: (facts: readonly Fact[]) => void;
};

/** Looks after referees that have a match, or had one and went: a referee that dies gives its matches back. */
export class Watch {
  readonly #of: WatchParts;
  readonly #failures = new Map<string, number>();
  readonly #asked = new Set<string>();
  #cancel: () => void = () => {};
  #stopped = false;
  /** Since when nobody is left who could judge, by the monotonic clock. */
  #alone: number | null = null;

  constructor(of: WatchParts) {
    this.#of = of;
  }

  start(): void {
    const { timers, options } = this.#of.parts;
    if (this.#stopped) return;
    this.#cancel = timers.after(options.probe_ms, () => {
      this.#look();
      this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #look(): void {
    const { state } = this.#of.league;
    if (state.status !== 'ACTIVE') return;
    const judging = new Set<string>();
    for (const { assigned, referee } of state.matches.values())
      if (assigned && referee !== null) judging.add(referee);
    for (const referee of state.all('referee'))
      if ((judging.has(referee.id) || referee.lost) && !this.#asked.has(referee.id))
        void this.#probe(referee);
    this.#endAlone();
  }

  async #probe(referee: AgentState): Promise<void> {
    const { league, parts, changed } = this.#of;
    this.#asked.add(referee.id);
    const there = await parts.lines.isThere(referee.endpoint_url, PROBE_TIMEOUT_MS);
    this.#asked.delete(referee.id);
    if (this.#stopped || referee.status === 'SUSPENDED') return;
    const failures = there ? 0 : (this.#failures.get(referee.id) ?? 0) + 1;
    this.#failures.set(referee.id, failures);
    const facts = there ? back(referee) : failures >= FAILURES ? this.#gone(referee) : [];
    if (facts.length === 0) return;
    parts.logger.info(there ? 'a referee is back' : 'a referee is gone', { referee: referee.id });
    await league.recordFacts(...facts).catch(() => {});
    changed(facts);
  }

  #gone({ id, lost }: AgentState): Fact[] {
    const reason = 'it does not answer';
    const matches = [...this.#of.league.state.matches.values()].filter(
      ({ assigned, referee }) => assigned && referee === id,
    );
    const given = matches.map(
      ({ match: { match_id } }): Fact => ({ fact: 'match_given_back', match_id, referee_id: id, reason }),
    );
    return lost ? given : [{ fact: 'referee_lost', id, reason }, ...given];
  }

  /** With nobody left for as long as a match may take, the league does not wait any more. */
  #endAlone(): void {
    const { assigner, parts } = this.#of;
    const now = parts.clock.monotonic();
    if (assigner.waiting === 0 || assigner.hasReferees()) this.#alone = null;
    else this.#alone ??= now;
    if (this.#alone === null || now - this.#alone < matchPatience(parts.options.timeouts)) return;
    parts.logger.error('no referee is left; matches are ended without one', { matches: assigner.waiting });
    assigner.giveUp();
  }
}

function back({ id, lost }: AgentState): Fact[] {
  return lost ? [{ fact: 'referee_back', id }] : [];
}
