import process from 'node:process';
import type { Timers } from '../../core/ports/clock.ts';

/**
 * A child is started as the leader of a group of its own, and what it starts belongs to that group: ending the group
 * ends all of it. Windows has no such groups; there the child alone is ended.
 */
export type ProcessGroup = {
  /** Asks everything to end, and makes it end after the grace time. Resolves when nothing is left. Safe to repeat. */
  end(): Promise<void>;
  /** The leader has ended by itself: whatever it left behind is ended too. */
  leaderEnded(): void;
};

/** Hears of the groups that there are, so that somebody can end them should we be killed. */
export type GroupNotes = { started(pid: number): void; ended(pid: number): void };

type Surroundings = {
  readonly timers: Timers;
  /** How long it may take to end by itself. */
  readonly ms: number;
  readonly notes?: GroupNotes | undefined;
};

/** Groups that must not outlive us, whichever way we end. */
const living = new Set<number>();
let watching = false;

/** No event tells that a group is empty: it is looked for at growing intervals. */
const FIRST_LOOK_MS = 5;

export function processGroup(pid: number, grace: Surroundings): ProcessGroup {
  outliveNobody(pid);
  grace.notes?.started(pid);
  return new Group(pid, grace);
}

class Group implements ProcessGroup {
  readonly #pid: number;
  readonly #grace: Surroundings;
  readonly #gone = Promise.withResolvers<void>();
  #state: 'living' | 'asked' | 'killed' | 'gone' = 'living';
  #leads = true;
  #cancelKill = () => {};
  #cancelLook = () => {};

  constructor(pid: number, grace: Surroundings) {
    this.#pid = pid;
    this.#grace = grace;
  }

  end(): Promise<void> {
    if (this.#state === 'living') {
      this.#state = 'asked';
      this.#cancelKill = this.#grace.timers.after(this.#grace.ms, () => this.#kill());
      signal(this.#pid, 'SIGTERM');
    }
    return this.#gone.promise;
  }

  leaderEnded(): void {
    this.#leads = false;
    void this.end();
    this.#look(FIRST_LOOK_MS);
  }

  #look(ms: number): void {
    if (this.#state === 'killed' || !signal(this.#pid, 0)) this.#finish();
    else this.#cancelLook = this.#grace.timers.after(ms, () => this.#look(ms * 2));
  }

  /** Nothing survives this, so the rest need not be waited for: what is left is for the system to clear away. */
  #kill(): void {
    this.#state = 'killed';
    signal(this.#pid, 'SIGKILL');
    if (!this.#leads) this.#finish();
  }

  #finish(): void {
    this.#state = 'gone';
    this.#cancelKill();
    this.#cancelLook();
    living.delete(this.#pid);
    this.#grace.notes?.ended(this.#pid);
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

function outliveNobody(pid: number): void {
  living.add(pid);
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const group of living) signal(group, 'SIGKILL');
  });
}
