/** Any characters of a line, or, alone in a line, any lines. */
const ANY = '…';

const id = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const moment = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?\b|\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g;
const duration = /(?<![\w.])\d+(?:\.\d+)? ?(?:ms|s)\b/g;

/** The same for every run: ids, times and durations are not compared, blanks are counted as one. */
export function settled(line: string): string {
  return line
    .replaceAll(id, '<id>')
    .replaceAll(moment, '<time>')
    .replaceAll(duration, '<duration>')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What is missing in an output that a page shows; null where it is as shown. */
export function difference(shown: string, output: readonly string[]): string | null {
  const expected = shown.trimEnd().split('\n');
  const lines = trimmed(output);
  return matches(expected, lines)
    ? null
    : ['the page shows', ...indented(expected), 'and there was', ...indented(lines)].join('\n');
}

function trimmed(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

function matches(expected: readonly string[], lines: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return lines.length === 0;
  if (first.trim() === ANY)
    return matches(rest, lines) || (lines.length > 0 && matches(expected, lines.slice(1)));
  const [line, ...others] = lines;
  return line !== undefined && matchesLine(first, line) && matches(rest, others);
}

function matchesLine(expected: string, line: string): boolean {
  const parts = settled(expected).split(ANY).map(escaped);
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(settled(line));
}

function escaped(text: string): string {
  return text.trim().replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  | ${line}`);
}
