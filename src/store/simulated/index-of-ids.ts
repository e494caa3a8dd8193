const none: ReadonlySet<string> = new Set();

/** Ids by some value their records have in common. Empty groups are not kept. */
export class Index {
  readonly #groups = new Map<string, Set<string>>();

  ids(group: string): ReadonlySet<string> {
    return this.#groups.get(group) ?? none;
  }

  /** Those that have somebody in them. */
  groups(): Iterable<string> {
    return this.#groups.keys();
  }

  mark(group: string, id: string, member: boolean): void {
    const ids = this.#groups.get(group);
    if (member) {
      if (ids === undefined) this.#groups.set(group, new Set([id]));
      else ids.add(id);
    } else if (ids?.delete(id) && ids.size === 0) this.#groups.delete(group);
  }
}
