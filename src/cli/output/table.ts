import { cleanLine } from './clean.ts';
import { paint, type Style } from './paint.ts';
import { cutTo, padTo, widthOf } from './width.ts';

/** Where a rendering is going to be seen. */
export type View = {
  /** Null where nothing limits it: a file or a pipe. */
  readonly columns: number | null;
  readonly colour: boolean;
  readonly now: number;
};

export type Column<Item> = {
  readonly title: string;
  readonly value: (item: Item) => string;
  readonly style?: (item: Item) => Style | null;
  readonly align?: 'left' | 'right';
  /** Is never cut, such as an id that somebody is going to copy. */
  readonly whole?: true;
  /** As narrow as even a whole one gets rather than that a column which is kept goes missing. */
  readonly shortest?: number;
  /** Is not left out for the sake of a whole one that can be shorter. */
  readonly kept?: true;
};

/** Of an id: the part that is a time, which nearly always is enough to find it by. */
export const SHORTEST_ID = 14;

const GAP = '  ';
const NARROWEST = 8;

/** Items one below the other. Long cells are cut, then columns left out from the right, until it fits. */
export function table<Item>(items: readonly Item[], columns: readonly Column<Item>[], view: View): string {
  const cells = items.map((item) => columns.map((column) => cleanLine(column.value(item))));
  const natural = columns.map(({ title }, at) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(title)),
  );
  const widths = fitted(natural, columns, view.columns);
  const line = (texts: readonly string[], styleOf: (at: number) => Style | null) =>
    widths
      .map((width, at) => {
        const column = columns[at];
        const text = cutTo(texts[at] ?? '', width);
        const last = at === widths.length - 1 && column?.align !== 'right';
        const padded = last ? text : padTo(text, width, column?.align);
        return padded.replace(text, () => paint(view.colour, styleOf(at), text));
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title.toUpperCase()),
    () => 'dim',
  );
  const rows = items.map((item, index) =>
    line(cells[index] ?? [], (at) => columns[at]?.style?.(item) ?? null),
  );
  return [head, ...rows, ''].join('\n');
}

function fitted<Item>(
  natural: readonly number[],
  columns: readonly Column<Item>[],
  available: number | null,
): readonly number[] {
  if (available === null) return natural;
  const whole = natural.map((width, at) => (columns[at]?.whole ? width : Math.min(width, NARROWEST)));
  const keeps = columns.findLastIndex(({ kept }) => kept === true);
  const least =
    fittingIn(whole, available) >= keeps
      ? whole
      : whole.map((width, at) => Math.min(width, columns[at]?.shortest ?? width));
  const fitting = fittingIn(least, available);
  const widths = natural.slice(0, Math.max(1, fitting + 1));
  while (total(widths) > available) {
    const spare = widths.map((width, at) => width - (least[at] ?? 0));
    const most = spare.indexOf(Math.max(...spare));
    if ((spare[most] ?? 0) <= 0) break;
    widths[most] = (widths[most] ?? 1) - 1;
  }
  return widths;
}

/** The last column that fits. */
function fittingIn(least: readonly number[], available: number): number {
  return least.findLastIndex((_, at) => total(least.slice(0, at + 1)) <= available);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

export type Detail = readonly [
  label: string,
  value: string | number | null | undefined,
  style?: Style | null,
];

/** One thing: a label and its value on each line, without what there is nothing to say about. */
export function details(pairs: readonly Detail[], view: View): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([label]) => widthOf(label)));
  const lines = shown.map(([label, value, style = null]) => {
    const name = paint(view.colour, 'dim', `${label}:`) + ' '.repeat(width - widthOf(label));
    return `${name} ${paint(view.colour, style, cleanLine(String(value)))}`;
  });
  return [...lines, ''].join('\n');
}
