import { lineName } from '../core/parked.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Came, Line } from '../core/ports/router.ts';
import type { Lease } from '../core/writes.ts';
import type { Found } from './lanes.ts';
import type { Writer } from './writer.ts';

/** So long, and of so many, it is known that they were called; whoever comes later comes like anybody else. */
const KNOWN_MS = 60_000;
const MOST_KNOWN = 10_000;
/** Calls of which it is found out who else took those who were called; of older ones the router finds out by waiting. */
const MOST_LOOSE = 1000;
/** Lines that one commit calls. */
const LINES_AT_ONCE = 200;
/** So many come at once of a line that nobody calls any more; and while so many are on their way, no line brings more than before. */
const MOST_STRAYS = 64;
const MOST_STRAYS_IN_ALL = 1000;

type Joining = {
  readonly line: string;
  readonly owner: string;
  readonly leases: Pick<Lease, 'task_id' | 'fence'>[];
  readonly written: PromiseWithResolvers<'back'>;
};

type Ring = {
  readonly places: number;
  readonly told: (came: Came) => void;
  /** So many of those who were to come went elsewhere. */
  readonly astray: (count: number) => void;
};
type Rung = {
  readonly line: string;
  readonly lane: string | undefined;
  readonly fair: boolean;
  readonly rings: Ring[];
};
type Loose = { readonly called: readonly string[]; readonly lane: string | undefined; readonly ring: Ring };

/** `found`: by a look at all lines, and not because there was room. `together`: how many were to come with it. */
export type Known = { readonly how: 'called' | 'found'; readonly line: string; readonly together: number };

export type LinesParts = {
  readonly writer: Pick<Writer, 'write'>;
  readonly clock: Clock;
  /** One of each of many lines is about to come. */
  readonly calling?: () => void;
};

/**
 * Puts tasks into the lines that the router names, and calls them from there when it says so. What comes up within one turn
 * goes out together: first those who join, so that nobody is called past who was told to wait before.
 */
export class Lines {
  readonly #writer: Pick<Writer, 'write'>;
  readonly #clock: Clock;
  readonly #calling: () => void;
  /** Who was called, how, and until when that is known. */
  readonly #called = new Map<string, Known & { readonly until: number }>();
  /** Lines that somebody is on the way to, and how many were called from there in vain meanwhile. */
  readonly #onTheWay = new Map<string, { count: number; missed: number }>();
  /** Who was called, and whom to tell where another engine claims them. */
  #loose: Loose[] = [];
  #joining = new Map<string, Joining>();
  #rung = new Map<string, Rung>();
  /** Lines that nobody calls any more, and how many of them are to come. */
  #strays = new Map<string, number>();
  #gathering = false;
  #callingAll = false;
  #again = false;
  /** Where the last look at some lines ended. */
  #after: string | null = null;

  constructor({ writer, clock, calling = () => {} }: LinesParts) {
    this.#writer = writer;
    this.#clock = clock;
    this.#calling = calling;
  }

  /** Resolves when the task waits in the line, without an attempt. */
  join({ task_id, owner, fence }: Lease, to: Line): Promise<'back'> {
    const line = lineName(to);
    const key = `${owner} ${line}`;
    const known = this.#joining.get(key);
    const joining = known ?? { line, owner, leases: [], written: Promise.withResolvers<'back'>() };
    if (known === undefined) this.#joining.set(key, joining);
    joining.leases.push({ task_id, fence });
    this.#gather();
    return joining.written.promise;
  }

  /** There is room for so many of a line. Answers who comes, and tells of those among them who then go elsewhere. */
  room(from: Line, places: number, astray: (count: number) => void = () => {}): Promise<Came> {
    const line = lineName(from);
    const rung = this.#rung.get(line) ?? { line, lane: from.lane, fair: from.fair, rings: [] };
    this.#rung.set(line, rung);
    this.#gather();
    return new Promise((told) => rung.rings.push({ places, told, astray }));
  }

  /** All that was ready in these lanes has been claimed: who was called and is not held here is with another engine, or left. */
  allClaimed({ more, emptied }: Found, holds: (task_id: string) => boolean): void {
    const claimed = ({ lane }: Loose) => (lane === undefined ? !more : emptied.has(lane));
    const loose = this.#loose.filter(claimed);
    if (loose.length === 0) return;
    this.#loose = this.#loose.filter((one) => !claimed(one));
    for (const { called, ring } of loose) {
      const gone = called.filter((task_id) => this.#called.has(task_id) && !holds(task_id));
      for (const task_id of gone) this.#called.delete(task_id);
      if (gone.length > 0) ring.astray(gone.length);
    }
  }

  /** How a task was called by us, or null; asked once. */
  howCalled(task_id: string): Known | null {
    const known = this.#called.get(task_id);
    if (known === undefined) return null;
    this.#called.delete(task_id);
    const { until, ...rest } = known;
    return until > this.#clock.monotonic() ? rest : null;
  }

  /**
   * It was found in a line that nobody calls any more: each who comes brings two others, up to a number, until nobody is left.
   * Who is claimed elsewhere, or not at all as long as there is no room, brings nobody.
   */
  callMore({ line, together }: Known): void {
    const grows = together < MOST_STRAYS && this.#called.size < MOST_STRAYS_IN_ALL;
    this.#strays.set(line, (this.#strays.get(line) ?? 0) + (grows ? 2 : 1));
    this.#gather();
  }

  /** One of every line comes: whoever would have called them may be gone. */
  callAll(): void {
    if (this.#callingAll) this.#again = true;
    else void this.#callEach();
  }

  /**
   * The same for some lines, and the next time for others: the net under calls that were lost on their way, at a price
   * that does not grow with the number of lines. Most lines are well, and a place is kept there for somebody else: who is
   * called so takes none that is kept, or those lines would have more under way, and get more done, than others.
   */
  async callSome(): Promise<void> {
    if (this.#callingAll) return;
    this.#after = await this.#call(this.#after, false).catch(() => null);
  }

  async #callEach(): Promise<void> {
    this.#callingAll = true;
    try {
      do {
        this.#again = false;
        let after: string | null = null;
        do after = await this.#call(after, true);
        while (after !== null);
      } while (this.#again);
    } catch {
      // The engine has stopped; whoever starts next calls them.
    }
    this.#callingAll = false;
  }

  async #call(after: string | null, lasting: boolean): Promise<string | null> {
    const write = { kind: 'call_lines', places: 1, after, limit: LINES_AT_ONCE } as const;
    this.#calling();
    const { called, next } = await this.#writer.write(write, { lasting });
    for (const { task_id, line } of called) this.#know([task_id], { how: 'found', line, together: 1 });
    return next;
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    void Promise.resolve().then(() => this.#send());
  }

  #send(): void {
    const [joining, rung, strays] = [this.#joining, this.#rung, this.#strays];
    this.#gathering = false;
    this.#joining = new Map();
    this.#rung = new Map();
    this.#strays = new Map();
    for (const one of joining.values()) this.#put(one);
    for (const one of rung.values()) this.#ring(one);
    for (const [line, places] of strays) this.#fetch(line, places);
  }

  #fetch(line: string, places: number): void {
    this.#writer.write({ kind: 'call_line', line, places, fair: false }, { lasting: true }).then(
      ({ called }) => this.#know(called, { how: 'found', line, together: places }),
      // The engine has stopped; whoever starts next finds them.
      () => {},
    );
  }

  #put({ line, owner, leases, written }: Joining): void {
    const way = this.#onTheWay.get(line) ?? { count: 0, missed: 0 };
    this.#onTheWay.set(line, way);
    way.count++;
    const arrived = () => {
      if (--way.count === 0) this.#onTheWay.delete(line);
      const places = Math.min(way.missed, leases.length);
      way.missed -= places;
      return places;
    };
    this.#writer.write({ kind: 'release', owner, leases, line }, { lasting: true }).then(
      () => {
        const places = arrived();
        written.resolve('back');
        // It was written late, after a commit that failed, and a call for them went past.
        if (places > 0)
          this.#ring({
            line,
            lane: undefined,
            fair: false,
            rings: [{ places, told: () => {}, astray: () => {} }],
          });
      },
      (thrown: unknown) => {
        arrived();
        written.reject(thrown);
      },
    );
  }

  #ring({ line, lane, fair, rings }: Rung): void {
    const places = rings.reduce((sum, ring) => sum + ring.places, 0);
    const tell = (called: readonly string[], more: boolean) => {
      let from = 0;
      for (const ring of rings) {
        const its = called.slice(from, from + ring.places);
        from += ring.places;
        const missed = its.length < ring.places;
        ring.told({ count: its.length, more: more || (!missed && this.#onTheWay.has(line)) ? 1 : 0 });
        if (its.length > 0) this.#loose.push({ called: its, lane, ring });
      }
    };
    this.#writer.write({ kind: 'call_line', line, places, fair }, { lasting: true }).then(
      ({ called, more }) => {
        // In the same turn in which the commit is answered: it may have claimed them as well.
        this.#know(called, { how: 'called', line, together: places });
        const way = this.#onTheWay.get(line);
        if (way !== undefined) way.missed += Math.max(0, places - called.length);
        tell(called, more);
        if (this.#loose.length > MOST_LOOSE) this.#loose = this.#loose.slice(MOST_LOOSE / 2);
      },
      () => tell([], false),
    );
  }

  #know(called: readonly string[], known: Known): void {
    const now = this.#clock.monotonic();
    for (const task_id of called) {
      this.#called.delete(task_id);
      this.#called.set(task_id, { ...known, until: now + KNOWN_MS });
    }
    for (const [task_id, { until }] of this.#called) {
      if (until > now && this.#called.size <= MOST_KNOWN) break;
      this.#called.delete(task_id);
    }
  }
}
