/** How many calls this process may make at once of a limit that is shared with others. */
export interface Places {
  /** How many may be inside, where so many are used; those who are inside or were called may stay. */
  allowed(used: number): number;
  /** The same with those that others are thought to give up when they are asked. */
  could(used: number, now: number): number;
  /** Until when others are waited for to give some up, or null. */
  waitsUntil(now: number): number | null;
  /** Somebody has to wait for more. */
  hungry(now: number): void;
  /** Fewer are used than before. */
  left(): void;
  /** Others could use what is not used here. */
  isShared(): boolean;
  /** It has nothing that would have to be given back. */
  isIdle(): boolean;
  setMost(most: number): void;
  /** The limit is gone. */
  drop(): void;
}

/** `used` tells how many places are taken whenever that has to be written down. */
export type MakePlaces = (name: string, most: number, used: (now: number) => number) => Places | null;
