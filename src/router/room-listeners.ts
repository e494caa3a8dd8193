import { allCame, type RoomListener } from '../core/ports/router.ts';

/** Those who are told when there is room for somebody in a line. */
export class RoomListeners {
  readonly #all = new Set<RoomListener>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Returns the way to stop it. */
  add(listener: RoomListener): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  readonly ring: RoomListener = async (line, places, astray) =>
    allCame(await Promise.all([...this.#all].map((listener) => listener(line, places, astray))));
}
