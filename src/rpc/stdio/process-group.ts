import process from 'node:process';
import type { Timers } from '../../core/ports/clock.ts';
import { descendantsOf, type Family, findDescendants } from './descendants.ts';
import { type Listed, lives, type Running, runningAs, signalRunning } from './processes.ts';

/**
 * A child is started as the leader of a group of its own, and what it starts belongs to that group: ending the group
 * ends all of it. What has left the group for one of its own, as browsers do, is looked for on Linux and ended with it.
 * Windows has no such groups; there the child alone is ended.
 */
export type ProcessGroup = {
  /** Nobody is left in the group itself; those who have left it may still be looked for. */
  readonly emptied: Promise<void>;
  /** Asks everything to end, and makes it end after the grace time. Resolves when nothing is left. Safe to repeat. */
  end(): Promise<void>;
  /** The leader has ended by itself: whatever it left behind is ended too. */
  leaderEnded(): void;
};

/** Hears of the groups that there are, so that somebody can end them should we be killed. */
export type GroupNotes = { started(pid: number, mark?: string | null): void; ended(pid: number): void };

type Surroundings = {
  readonly timers: Timers;
  /** How long it may take to end by itself. */
  readonly ms: number;
  /** By which those are known that have left the group; null where these are not looked for. */
  readonly mark: string | null;
  readonly notes?: GroupNotes | undefined;
};

/** Groups that must not outlive us, whichever way we end. */
const living = new Set<Group>();
let watching = false;

/** No event tells that a group is empty: it is looked for at growing intervals. */
const FIRST_LOOK_MS = 5;

export function processGroup(pid: number, grace: Surroundings): ProcessGroup {
  const group = new Group(pid, grace);
  outliveNobody(group);
  grace.notes?.started(pid, grace.mark);
  return group;
}

class Group implements ProcessGroup {
  readonly #pid: number;
  readonly #grace: Surroundings;
  readonly #gone = Promise.withResolvers<void>();
  readonly #emptied = Promise.withResolvers<void>();
  /** Who has left the group, by number and beginning. */
  readonly #parted = new Map<string, Running>();
  /** Those of them that were asked to end. Whoever cannot be asked by us is not waited for. */
  readonly #asked: Running[] = [];
  readonly #leader: Running;
  #state: 'living' | 'asked' | 'killed' | 'gone' = 'living';
  #leads = true;
  #cancelKill = () => {};
  #cancelLook = () => {};

  constructor(pid: number, grace: Surroundings) {
    this.#pid = pid;
    this.#grace = grace;
    // One that has ended already began at some time.
    this.#leader = runningAs(pid) ?? { pid, start: '0' };
  }

  get emptied(): Promise<void> {
    return this.#emptied.promise;
  }

  get family(): Family {
    return { leader: this.#leader, mark: this.#grace.mark, known: [...this.#parted.values()] };
  }

  end(): Promise<void> {
    if (this.#state === 'living') {
      this.#state = 'asked';
      this.#cancelKill = this.#grace.timers.after(this.#grace.ms, () => this.#kill());
      // Looked for while the leader is there to tell whose they are; a mark is all that is left of one that has ended.
      const parted = this.#leads && this.#grace.mark !== null ? this.#newcomers(now(this)) : [];
      signal(this.#pid, 'SIGTERM');
      for (const one of parted) if (signalRunning(one, 'SIGTERM')) this.#asked.push(one);
      if (!this.#leads) this.#seek(() => {});
    }
    return this.#gone.promise;
  }

  leaderEnded(): void {
    this.#leads = false;
    void this.end();
    this.#look(FIRST_LOOK_MS);
  }

  /** Kills the group, and of those that have left it whoever is known or found now. */
  kill(found: readonly Listed[]): void {
    this.#newcomers(found);
    signal(this.#pid, 'SIGKILL');
    for (const one of this.#parted.values()) signalRunning(one, 'SIGKILL');
  }

  #look(ms: number): void {
    if (this.#state === 'gone') return;
    if (this.#state === 'killed') this.#finish();
    else if (signal(this.#pid, 0) || this.#asked.some(lives))
      this.#cancelLook = this.#grace.timers.after(ms, () => this.#look(ms * 2));
    // Only who is looked for after all these have ended has nobody left to start others.
    else {
      this.#emptied.resolve();
      this.#seek(() => (this.#asked.some(lives) ? this.#look(FIRST_LOOK_MS) : this.#finish()));
    }
  }

  /** Asks those to end that have left the group. */
  #seek(then: () => void): void {
    const { mark, timers } = this.#grace;
    if (mark === null) then();
    else
      findDescendants(this.family, timers, (found) => {
        if (this.#state !== 'asked') return;
        for (const one of this.#newcomers(found)) if (signalRunning(one, 'SIGTERM')) this.#asked.push(one);
        then();
      });
  }

  #newcomers(found: readonly Listed[]): Listed[] {
    const known = ({ pid, start }: Running) => `${pid} ${start}`;
    const newcomers = found.filter((one) => one.group !== this.#pid && !this.#parted.has(known(one)));
    for (const one of newcomers) this.#parted.set(known(one), one);
    return newcomers;
  }

  /** Nothing survives this, so the rest need not be waited for: what is left is for the system to clear away. */
  #kill(): void {
    this.#state = 'killed';
    // The second time for what was being started the first time.
    for (let time = 0; time < 2; time++) this.kill(this.#grace.mark === null ? [] : now(this));
    if (!this.#leads) this.#finish();
  }

  #finish(): void {
    this.#state = 'gone';
    this.#cancelKill();
    this.#cancelLook();
    living.delete(this);
    this.#grace.notes?.ended(this.#pid);
    this.#emptied.resolve();
    this.#gone.resolve();
  }
}

/** False where there is nobody left to hear it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, name);
  } catch {
    return false;
  }
}

function now(group: Group): readonly Listed[] {
  return descendantsOf([group.family])[0] ?? [];
}

function outliveNobody(group: Group): void {
  living.add(group);
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    if (living.size === 0) return;
    const groups = [...living];
    const found = descendantsOf(groups.map(({ family }) => family));
    for (const [at, one] of groups.entries()) one.kill(found[at] ?? []);
  });
}
