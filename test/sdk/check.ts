/** Checks that run in a browser as well, where Node's own are not. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [text(actual), text(expected)];
  if (is !== should)
    throw new Error(`${what}: it is ${is.slice(0, 2000)}, and should be ${should.slice(0, 2000)}`);
}

export function ok(value: boolean, what: string): asserts value {
  if (!value) throw new Error(what);
}

/** The error it rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) throw new Error(`it should have been rejected, and gave ${text(outcome.value)}`);
  const { error } = outcome;
  if (error instanceof Error) return error as Error & Record<string, unknown>;
  throw new Error(`it was rejected with ${text(error)}`);
}

/** Keys in the order of the alphabet, so that equal things have equal texts. */
function text(value: unknown): string {
  const sorted = (_: string, part: unknown): unknown =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, sorted) ?? String(value);
}
