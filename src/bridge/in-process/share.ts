import type { Partition } from './partition.ts';

/** What a group knows of one partition: how far it is done, what was handed out before, and who has it now. */
export type Share = {
  readonly partition: Partition;
  done: number;
  highest: number;
  owner: Owner | undefined;
};

export interface Owner {
  take(share: Share): void;
  lose(share: Share): void;
  /** Something new is there. */
  wake(): void;
}
