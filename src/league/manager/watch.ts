import { matchPatience } from '../protocol/timeout-policy.ts';
import type { Assigner } from './assigner.ts';
import type { Fact } from './facts.ts';
import type { League } from './league.ts';
import type { ManagerParts } from './parts.ts';
import type { AgentState } from './state.ts';

/** Not answering so many times in a row is being gone. */
const FAILURES = 3;
const PROBE_TIMEOUT_MS = 2000;
/** Every so many times a referee that answers is also asked which matches it has. */
const ASKED_EVERY = 3;

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
  /** How often referees were looked after, and which of their matches they did not name when they were asked last. */
  readonly #looks = new Map<string, number>();
  readonly #unnamed = new Map<string, readonly string[]>();
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
    const forgotten = there ? await this.#forgotten(referee) : [];
    this.#asked.delete(referee.id);
    if (this.#stopped || referee.status === 'SUSPENDED') return;
    const failures = there ? 0 : (this.#failures.get(referee.id) ?? 0) + 1;
    this.#failures.set(referee.id, failures);
    const facts = there ? [...back(referee), ...forgotten] : failures >= FAILURES ? this.#gone(referee) : [];
    if (facts.length === 0) return;
    parts.logger.info('a referee is gone, back, or has lost its match', { referee: referee.id, there });
    await league.recordFacts(...facts).catch(() => {});
    changed(facts);
  }

  #gone({ id, lost }: AgentState): Fact[] {
    const reason = 'it does not answer';
    const given = this.#matchesOf(id).map(givenBack(id, reason));
    return lost ? given : [{ fact: 'referee_lost', id, reason }, ...given];
  }

  /** A referee that was started anew answers, and knows nothing of its match. Only who says what it has can be held to it. */
  async #forgotten({ id, endpoint_url }: AgentState): Promise<Fact[]> {
    const looks = (this.#looks.get(id) ?? 0) + 1;
    this.#looks.set(id, looks);
    if (looks % ASKED_EVERY !== 0) return [];
    const before = this.#matchesOf(id);
    const known = await this.#of.parts.lines.matchesOf(endpoint_url, PROBE_TIMEOUT_MS);
    // Only what it had when it was asked, and has still.
    const still = this.#matchesOf(id).filter((match) => before.includes(match));
    const missing = known === null ? [] : still.filter((match_id) => !known.includes(match_id));
    const twice = missing.filter((match_id) => this.#unnamed.get(id)?.includes(match_id));
    // Once is nothing: the assignment may be on its way to it.
    this.#unnamed.set(id, missing);
    return twice.map(givenBack(id, 'its referee does not know it'));
  }

  #matchesOf(id: string): readonly string[] {
    const matches = [...this.#of.league.state.matches.values()];
    return matches
      .filter(({ assigned, referee }) => assigned && referee === id)
      .map(({ match: { match_id } }) => match_id);
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

function givenBack(referee_id: string, reason: string) {
  return (match_id: string): Fact => ({ fact: 'match_given_back', match_id, referee_id, reason });
}

function back({ id, lost }: AgentState): Fact[] {
  return lost ? [{ fact: 'referee_back', id }] : [];
}
