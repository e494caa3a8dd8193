import type { Candidate } from '../pool/candidate.ts';
import { atLeast, ended, type Failing, type Latency, observed } from '../pool/latency.ts';
import { type Choosing, choose } from '../pool/select.ts';

export const one = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  free: true,
  avoided: false,
  tier: 0,
  zone: null,
  weight: 1,
  in_flight: 0,
  latency: null,
  ...more,
});

/** Numbers that look drawn by lot, the same ones each time. */
export function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const how = (more: Partial<Choosing> = {}): Choosing => ({
  policy: 'latency',
  zone: null,
  key: null,
  turns: new Map(),
  now: 0,
  draw: lots(1),
  ...more,
});

export type Server = {
  readonly weight?: number;
  /** Infinity: it hangs, and is given up after `patience_ms`. */
  readonly ms: number;
  readonly fails?: boolean;
};

type Known = {
  in_flight: number;
  calls: number;
  latency: Latency | null;
  failing: Failing | null;
  tried: boolean;
};

/** Servers that take as long as they do, in made-up time, and whoever chooses among them and learns how they were. */
export class ChoiceWorld {
  readonly known: Known[];
  now = 0;
  readonly #servers: readonly Server[];
  readonly #choosing: Choosing;
  readonly #patience_ms: number;
  #running: { readonly at: number; readonly end: () => void }[] = [];

  constructor(servers: readonly Server[], more: Partial<Choosing> & { patience_ms?: number } = {}) {
    const { patience_ms = Number.POSITIVE_INFINITY, ...choosing } = more;
    this.#servers = servers;
    this.#choosing = how(choosing);
    this.#patience_ms = patience_ms;
    this.known = servers.map(() => ({ in_flight: 0, calls: 0, latency: null, failing: null, tried: false }));
  }

  get calls(): number[] {
    return this.known.map(({ calls }) => calls);
  }

  /** Calls one after another, with a while between the end of one and the next; whose turn it was each time. */
  inTurn(count: number, pause_ms = 0): number[] {
    return Array.from({ length: count }, () => {
      const chosen = this.#call();
      this.#until(Math.max(...this.#running.map(({ at }) => at), this.now));
      this.now += pause_ms;
      return chosen;
    });
  }

  /** Always so many at once: with the end of one the next begins. */
  atOnce(width: number, count: number): void {
    for (let call = 0; call < count; call++) {
      while (this.#running.length >= width) this.#until(Math.min(...this.#running.map(({ at }) => at)));
      this.#call();
    }
  }

  /** So many in a second, whether others have ended or not. */
  perSecond(rate: number, seconds: number): void {
    for (let call = 0; call < rate * seconds; call++) {
      this.#call();
      this.#until(this.now + 1000 / rate);
    }
  }

  #until(moment: number): void {
    const due = this.#running.filter(({ at }) => at <= moment).sort((a, b) => a.at - b.at);
    this.#running = this.#running.filter(({ at }) => at > moment);
    for (const { at, end } of due) {
      this.now = at;
      end();
    }
    if (Number.isFinite(moment)) this.now = moment;
  }

  #call(): number {
    const candidates = this.#servers.map(({ weight = 1 }, index) =>
      one(`${index}`, { weight, ...this.known[index], under_way: this.known[index]?.in_flight ?? 0 }),
    );
    const chosen = Number(choose(candidates, { ...this.#choosing, now: this.now })?.id);
    const [server, known] = [this.#servers[chosen], this.known[chosen]];
    if (server === undefined || known === undefined) throw new Error('nobody was chosen');
    known.in_flight++;
    known.calls++;
    const ms = Math.min(server.ms, this.#patience_ms);
    const failed = server.fails === true || server.ms > ms;
    this.#running.push({ at: this.now + ms, end: () => this.#heard(known, { ms, failed, server }) });
    return chosen;
  }

  #heard(known: Known, { ms, failed, server }: { ms: number; failed: boolean; server: Server }): void {
    known.in_flight--;
    known.tried = true;
    if (server.fails !== true) known.latency = (failed ? atLeast : observed)(known.latency, ms, this.now);
    if (failed || known.failing !== null) known.failing = ended(known.failing, failed, this.now);
  }
}
