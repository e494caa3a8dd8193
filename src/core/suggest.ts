/** Longer words are compared with nothing: the cost of a comparison grows with both lengths. */
const MAX_WORD = 64;
/** Past this many candidates a suggestion is no longer worth its time. */
const MAX_CANDIDATES = 2_000;
const MAX_LISTED = 12;

/** The known word somebody most likely meant, or undefined when none is close. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const wanted = fold(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_WORD) continue;
    const distance = closeness(wanted, fold(candidate));
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** A hint for an unknown word: the nearest known one, or else what there is to choose from. */
export function didYouMean(word: string, known: readonly string[], what = 'known here'): string {
  const close = nearest(word, known);
  if (close !== undefined) return `did you mean "${close}"?`;
  if (known.length === 0) return `${what}: nothing`;
  const more = known.length > MAX_LISTED ? `, and ${known.length - MAX_LISTED} more` : '';
  return `${what}: ${known.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** `maxResults`, `max-results` and `max_results` are the same word written by different people. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[_\-\s]/g, '');
}

/** The edit distance, or infinity where too much differs for the words to be taken for each other. */
function closeness(a: string, b: string): number {
  const allowed = Math.min(3, Math.floor(Math.max(a.length, b.length) / 3));
  if (Math.abs(a.length - b.length) > allowed) return Number.POSITIVE_INFINITY;
  const distance = editDistance(a, b);
  return distance > allowed ? Number.POSITIVE_INFINITY : distance;
}

/** Insertions, deletions, replacements and swaps of neighbours, one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let left = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      left = Math.min(left + 1, at(above, j) + 1, at(above, j - 1) + (same ? 0 : 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) left = Math.min(left, at(before, j - 2) + 1);
      row.push(left);
    }
    before = above;
    above = row;
  }
  return at(above, b.length);
}

/** The table has an entry wherever it is asked for one. */
function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
