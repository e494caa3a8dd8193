import type { Store } from '../../core/ports/store.ts';

/** What a store brings along to be tested. Each `open` starts on empty data of its own. */
export type StoreHarness = { open(): Promise<OpenStore> };

export type OpenStore = {
  readonly store: Store;
  /** Moves the store's clock forward. */
  advance(ms: number): Promise<void>;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  /** Another handle on the same data, where the store allows two; closed together with the rest. */
  second?(): Promise<Store>;
  /** Closes everything and removes the data. */
  close(): Promise<void>;
};
