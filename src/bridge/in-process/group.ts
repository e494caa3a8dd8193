import type { Partition } from './partition.ts';
import type { Owner, Share } from './share.ts';

/** Who takes from a topic together. Members come and go; each partition belongs to one of them. */
export class Group {
  readonly shares: readonly Share[];
  readonly #members = new Set<Owner>();

  constructor(partitions: readonly Partition[]) {
    this.shares = partitions.map((partition) => ({
      partition,
      done: partition.start,
      highest: partition.start,
      owner: undefined,
    }));
  }

  get lags(): number[] {
    return this.shares.map(({ partition, done }) => partition.end - done);
  }

  join(member: Owner): void {
    this.#members.add(member);
    this.#share();
  }

  leave(member: Owner): void {
    if (!this.#members.delete(member)) return;
    for (const share of this.shares) if (share.owner === member) move(share, undefined);
    this.#share();
  }

  wake(): void {
    for (const member of this.#members) member.wake();
  }

  /** Each gets its part, and keeps as much of what it has as that allows. */
  #share(): void {
    const members = [...this.#members];
    const least = Math.floor(this.shares.length / members.length);
    let larger = this.shares.length % members.length;
    const wanting: Owner[] = [];
    for (const member of members) {
      const owned = this.shares.filter(({ owner }) => owner === member);
      const part = least + (larger > 0 ? 1 : 0);
      larger -= 1;
      for (const share of owned.slice(part)) move(share, undefined);
      for (let missing = part - owned.length; missing > 0; missing -= 1) wanting.push(member);
    }
    for (const share of this.shares) if (share.owner === undefined) move(share, wanting.shift());
    this.wake();
  }
}

function move(share: Share, owner: Owner | undefined): void {
  share.owner?.lose(share);
  share.owner = owner;
  owner?.take(share);
}
