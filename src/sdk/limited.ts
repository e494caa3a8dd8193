/** What ends a piece of work before it is done, besides itself. */
export type Bounds = {
  /** The caller's own. */
  readonly signal?: AbortSignal | undefined;
  /** The client's. */
  readonly closing: AbortSignal;
  readonly timeout_ms?: number | undefined;
  /** What it rejects with when the time has run out. */
  readonly late: (ms: number) => Error;
};

/** Longer than a timer can be set for. */
const ENDLESS_MS = 2 ** 31 - 1;

/** Works under one signal for caller, deadline and end of the client. Nothing of it is left when the work is done. */
export async function limited<Result>(
  bounds: Bounds,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, closing, timeout_ms = ENDLESS_MS, late } = bounds;
  const own = new AbortController();
  const sources = signal === undefined ? [closing] : [signal, closing];
  const follow = () => own.abort(sources.find(({ aborted }) => aborted)?.reason);
  for (const source of sources) source.addEventListener('abort', follow);
  if (sources.some(({ aborted }) => aborted)) follow();
  const timer =
    timeout_ms >= ENDLESS_MS ? undefined : setTimeout(() => own.abort(late(timeout_ms)), timeout_ms);
  try {
    own.signal.throwIfAborted();
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    for (const source of sources) source.removeEventListener('abort', follow);
  }
}

/** Resolves after a while; rejects with the signal's reason when that aborts before. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return settleUnder(signal, (resolve) => {
    const timer = setTimeout(resolve, ms);
    return () => clearTimeout(timer);
  });
}

/**
 * A promise that the signal rejects. `begin` gets what settles it, and returns what takes it back, which is called at
 * once whichever way it ends.
 */
export function settleUnder<Result>(
  signal: AbortSignal,
  begin: (resolve: (value: Result) => void, reject: (error: unknown) => void) => () => void,
): Promise<Result> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let takeBack: (() => void) | null = null;
  let ended = false;
  const end = () => {
    ended = true;
    signal.removeEventListener('abort', aborted);
    takeBack?.();
    takeBack = null;
  };
  const fail = (error: unknown) => {
    end();
    reject(error);
  };
  const aborted = () => fail(signal.reason);
  signal.addEventListener('abort', aborted);
  takeBack = begin((value) => {
    end();
    resolve(value);
  }, fail);
  if (ended) end();
  return promise;
}
