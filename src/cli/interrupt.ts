/** Runs something that goes on until it is asked to stop. Ctrl-C asks; asked twice, the process ends as usual. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | 'interrupted'> {
  const stop = new AbortController();
  const ask = () => stop.abort();
  process.once('SIGINT', ask);
  process.once('SIGTERM', ask);
  try {
    const result = await work(stop.signal);
    return stop.signal.aborted ? 'interrupted' : result;
  } catch (thrown) {
    if (stop.signal.aborted) return 'interrupted';
    throw thrown;
  } finally {
    process.off('SIGINT', ask);
    process.off('SIGTERM', ask);
  }
}
