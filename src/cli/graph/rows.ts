import { cleanLine } from '../output/clean.ts';
import { paint, type Style } from '../output/paint.ts';
import { cutTo, padTo, widthOf } from '../output/width.ts';

/** Part of a line about a task. */
export type Cell = { readonly text: string; readonly style?: Style | null };

export type LayerRow = {
  /** From 1. */
  readonly layer: number;
  readonly cells: readonly Cell[];
};

export type RowsView = { readonly colour: boolean; readonly columns: number | null };

const GAP = '  ';
const NUMBER = 3;
/** No cell is cut to less. */
const NARROWEST = 6;

/** Lines with their cells below each other, and a blank line before each layer. Where there is no room the widest are cut. */
export function layerRows(rows: readonly LayerRow[], { colour, columns }: RowsView): string[] {
  const widths = fitted(rows, columns === null ? null : columns - NUMBER);
  return rows.flatMap(({ layer, cells }, i) => {
    const first = rows[i - 1]?.layer !== layer;
    const number = paint(colour, 'dim', (first ? String(layer) : '').padStart(NUMBER));
    const shown = cells.map(({ text, style = null }, at) => {
      const cut = cutTo(cleanLine(text), widths[at] ?? 0);
      const rest = cells.slice(at + 1).some((cell) => cell.text !== '');
      const padding = rest ? padTo(cut, widths[at] ?? 0).slice(cut.length) : '';
      return paint(colour, style, cut) + padding;
    });
    const line = [number, ...shown].join(GAP).trimEnd();
    return first ? ['', line] : [line];
  });
}

function fitted(rows: readonly LayerRow[], room: number | null): readonly number[] {
  const count = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const widths = Array.from({ length: count }, (_, at) =>
    rows.reduce((most, { cells }) => Math.max(most, widthOf(cleanLine(cells[at]?.text ?? ''))), 0),
  );
  if (room === null) return widths;
  const least = widths.map((width) => Math.min(width, NARROWEST));
  let over = widths.reduce((sum, width) => sum + width + GAP.length, 0) - room;
  for (; over > 0; over--) {
    const spare = widths.map((width, at) => width - (least[at] ?? 0));
    const most = spare.indexOf(Math.max(...spare));
    if ((spare[most] ?? 0) <= 0) break;
    widths[most] = (widths[most] ?? 0) - 1;
  }
  return widths;
}
