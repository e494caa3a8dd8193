import { GleitzeitError } from '../../core/errors.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Provider } from '../../core/ports/provider.ts';
import {
  allCame,
  type Line,
  type Passage,
  type RoomListener,
  type Routed,
  type RouteRequest,
  type Router,
} from '../../core/ports/router.ts';

/** Who was called may not come: another engine took it, or it was cancelled. */
const LOOK_AGAIN_MS = 20;

/** The smallest router that makes tasks wait: so many calls at a time for each protocol, everybody else stands in line. */
export class Doorman implements Router {
  readonly asked: RouteRequest[] = [];
  readonly #doors: readonly Door[];
  readonly #rings = new Set<RoomListener>();

  constructor(providers: readonly Provider[], places: number, timers: Pick<Timers, 'after'>) {
    const ring: RoomListener = async (line, count) =>
      allCame(await Promise.all([...this.#rings].map((listener) => listener(line, count))));
    this.#doors = providers.map((provider) => new Door(provider, { places, timers, ring }));
  }

  protocols(): readonly string[] {
    return this.#doors.map(({ provider }) => provider.protocol);
  }

  route(request: RouteRequest): Routed {
    this.asked.push(request);
    const door = this.#doors.find(({ provider }) => provider.protocol === request.protocol);
    if (door?.provider.hasMethod(request.method)) return door.enter(request.called || request.found === true);
    throw new GleitzeitError('GLZ2007', `nobody has ${request.protocol} ${request.method}`);
  }

  onRoom(listener: RoomListener): () => void {
    this.#rings.add(listener);
    return () => this.#rings.delete(listener);
  }

  hasRoom(protocol: string): boolean {
    return this.#doors.some((door) => door.provider.protocol === protocol && door.free > 0);
  }

  get inside(): number {
    return this.#doors.reduce((sum, door) => sum + door.inside, 0);
  }
}

type DoorParts = {
  readonly places: number;
  readonly timers: Pick<Timers, 'after'>;
  readonly ring: RoomListener;
};

class Door {
  readonly provider: Provider;
  readonly #parts: DoorParts;
  readonly #line: Line;
  inside = 0;
  #someWait = false;

  constructor(provider: Provider, parts: DoorParts) {
    this.provider = provider;
    this.#parts = parts;
    this.#line = { kind: 'concurrency', key: `protocol ${provider.protocol}`, fair: false };
  }

  enter(called: boolean): Routed {
    if (this.inside >= this.#parts.places) {
      this.#someWait = true;
      return { word: 'wait', line: this.#line };
    }
    this.inside++;
    // Where one came from there may be more.
    if (called) this.#someWait = true;
    this.#call();
    let left = false;
    const leave = () => {
      if (!left) this.inside--;
      left = true;
      this.#call();
    };
    const passage: Passage = { provider: this.provider, leave };
    return { word: 'go', passage };
  }

  get free(): number {
    return this.#parts.places - this.inside;
  }

  #call(): void {
    const { free } = this;
    if (!this.#someWait || free <= 0) return;
    this.#someWait = false;
    void this.#parts.ring(this.#line, free).then(({ more }) => {
      if (more === 0) return;
      this.#someWait = true;
      this.#parts.timers.after(LOOK_AGAIN_MS, () => this.#call());
    });
  }
}
