/** Values in a store that several engines share, each changed only by whoever has seen it as it is. */
export interface SharedState {
  /** Null where there is none yet. */
  read(name: string): Promise<{ readonly text: string; readonly version: number } | null>;
  /** Rejects with GLZ1013 where it is not at the version it is expected to have; 0 for none. */
  write(name: string, text: string, expect: number): Promise<{ readonly version: number }>;
}

/** Those of which it is told when somebody else has changed some. */
export interface WatchedState extends SharedState {
  versions(): Promise<readonly { readonly name: string; readonly version: number }[]>;
}
