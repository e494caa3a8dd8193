import type { WireEvent } from './logged-events.ts';

export type WatchOptions = {
  /** host:port */
  readonly address: string;
  readonly filter?: { readonly workflow_id?: string };
  /** Where to begin; now, where it is left out. */
  readonly cursor?: number;
};

/** What a client has of the events, over all its connections. */
export class Watch {
  readonly events: WireEvent[] = [];
  connections = 0;
  /** The newest it has seen, or where it began. Null until it was told. */
  cursor: number | null;
  readonly #reached: { readonly cursor: number; readonly resolve: () => void }[] = [];
  readonly #began = Promise.withResolvers<number>();

  constructor(cursor: number | undefined) {
    this.cursor = cursor ?? null;
    if (cursor !== undefined) this.#began.resolve(cursor);
  }

  /** The cursor after which it was told everything. */
  get began(): Promise<number> {
    return this.#began.promise;
  }

  begin(cursor: number): void {
    this.cursor ??= cursor;
    this.#began.resolve(this.cursor);
  }

  take(event: WireEvent): void {
    this.events.push(event);
    this.cursor = event.cursor;
    for (const { cursor, resolve } of this.#reached) if (event.cursor >= cursor) resolve();
  }

  async reach(cursor: number): Promise<void> {
    if ((this.events.at(-1)?.cursor ?? 0) >= cursor) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reached.push({ cursor, resolve });
    await promise;
  }
}

export type Watching = Watch & { close(): void };
