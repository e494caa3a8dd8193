/** Carries texts to a server, one JSON-RPC message each. */
export type Pipe = {
  send(text: string): void;
  /** Safe to repeat. The receiver need not be told. */
  close(): void;
};

/** What comes back. */
export type PipeReceiver = {
  message(text: string): void;
  /** Nothing more will come; told at most once, with a reason for people. */
  closed(reason: string): void;
};

/** Opens a pipe, the first and another after each cut. Once the signal aborts nobody waits for it any more. */
export type OpenPipe = (receiver: PipeReceiver, signal: AbortSignal) => Promise<Pipe>;
