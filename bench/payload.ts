/** What every task carries: about 200 bytes of JSON. */
export interface Payload {
  readonly key: string;
  readonly text: string;
}

export interface Result {
  readonly key: string;
  readonly length: number;
}

const TEXT = 'the quick brown fox jumps over the lazy dog and says so '.repeat(3);

export function payload(key: string): Payload {
  return { key, text: TEXT };
}

export function payloads(prefix: string, count: number): Payload[] {
  return Array.from({ length: count }, (_, index) => payload(`${prefix}-${index}`));
}

/** The no-op every system runs as its handler. The length adds up along a chain, which proves that results were passed on. */
export function handle(task: Payload, previous: readonly Result[] = []): Result {
  return { key: task.key, length: previous.reduce((sum, result) => sum + result.length, task.text.length) };
}

export function expectLength(result: Result, tasks: number): void {
  const expected = tasks * TEXT.length;
  if (result.length !== expected)
    throw new Error(`result of ${result.key}: ${result.length}, not ${expected}`);
}
