/** As much of `fetch` as is needed: the one of Node, of browsers, or another. */
export type FetchLike = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signal: AbortSignal;
    readonly redirect: 'manual';
    readonly credentials: 'omit';
  },
) => Promise<HttpAnswer>;

export type HttpAnswer = {
  readonly status: number;
  /** Read piece by piece where there is one, so that an answer without an end is given up. */
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
};

/** As much of a WebSocket as is needed. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number): void;
  addEventListener(name: 'open' | 'error', listener: () => void): void;
  addEventListener(name: 'message', listener: (message: { readonly data: unknown }) => void): void;
  addEventListener(
    name: 'close',
    listener: (close: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;
