import { beginning, type ChainEnd, type ReadLine, readLine } from './line.ts';

export type Verified =
  | { readonly intact: true; readonly lines: number; readonly hash: string }
  | { readonly intact: false; readonly line: number; readonly reason: string };

/** Whether every line follows on from the one before it. `each` gets those that do. */
export async function verify(
  lines: AsyncIterable<string> | Iterable<string>,
  each: (line: ReadLine) => void = () => {},
): Promise<Verified> {
  let end: ChainEnd = beginning;
  for await (const text of lines) {
    const line = readLine(end, text);
    if (typeof line === 'string') return { intact: false, line: end.seq + 1, reason: line };
    each(line);
    end = line;
  }
  return { intact: true, lines: end.seq, hash: end.hash };
}
