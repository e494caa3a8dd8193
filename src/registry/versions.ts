const NUMBERED = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** A version of which something is newer or older. */
export type Dated = { readonly version: string; readonly defined_at: number };

type Numbered = { readonly numbers: readonly number[]; readonly early: readonly string[] };

/**
 * The newest of some versions. Where all of them are written in numbers (`2`, `v1.10`, `1.0.0-rc.1`) the highest, in
 * the manner of semver; otherwise the one that was defined last, for then their names do not tell.
 */
export function newest<Item extends Dated>(items: readonly Item[]): Item | undefined {
  const read = items.map((item) => ({ item, numbered: numberedOf(item.version) }));
  const byName = read.every(({ numbered }) => numbered !== null);
  read.sort((a, b) => {
    const order = byName ? compare(a.numbered as Numbered, b.numbered as Numbered) : 0;
    return order || a.item.defined_at - b.item.defined_at;
  });
  return read.at(-1)?.item;
}

/** The number after the highest one; 1 where none of the versions is a plain number. */
export function nextNumber(versions: readonly string[]): string {
  const numbers = versions.filter((version) => /^\d{1,15}$/.test(version)).map(Number);
  return String(Math.max(0, ...numbers) + 1);
}

function numberedOf(version: string): Numbered | null {
  const [, numbers, early] = NUMBERED.exec(version) ?? [];
  if (numbers === undefined) return null;
  return { numbers: numbers.split('.').map(Number), early: early === undefined ? [] : early.split('.') };
}

function compare(a: Numbered, b: Numbered): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at++) {
    const order = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (order !== 0) return order;
  }
  // What comes before a release is named after it: 2.0-rc.1 is older than 2.0.
  if (a.early.length === 0 || b.early.length === 0) return b.early.length - a.early.length;
  return compareEarly(a.early, b.early);
}

function compareEarly(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = comparePart(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers as numbers, and before words. */
function comparePart(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return Number(a) - Number(b);
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
