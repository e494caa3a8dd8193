import { layersOf } from './layers.ts';
import type { Graph, GraphNode } from './model.ts';

/** A task with its place, or a point that a long line passes through. */
export type Spot = {
  readonly node: GraphNode | null;
  readonly width: number;
  /** Its middle. */
  x: number;
  y: number;
};

/** A line from a task to one that waits for it, by way of the layers between. */
export type Line = { readonly spots: readonly Spot[] };

export type Layout = {
  readonly spots: readonly Spot[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
};

export const BOX_HEIGHT = 52;
const LAYER_HEIGHT = 108;
const GAP = 28;
const MARGIN = 24;
/** Of one character of the label; tasks are as wide as what they say. */
const LETTER = 7.6;
const NARROWEST = 96;
const WIDEST = 320;
const PASSING = 12;
const SWEEPS = 8;

type Links = Map<Spot, Spot[]>;

/**
 * Layers from top to bottom. Lines over several layers get a point in each, so that they pass between tasks; then
 * everything is moved towards the middle of what it is linked to, back and forth, which leaves few lines crossed.
 */
export function layOut({ nodes }: Graph): Layout {
  const rows: Spot[][] = [];
  const spots = new Map<string, { spot: Spot; layer: number }>();
  for (const [layer, items] of layersOf(nodes).entries()) {
    rows.push(
      items.map((node) => {
        const spot = { node, width: widthOf(node), x: 0, y: yOf(layer) };
        spots.set(node.id, { spot, layer });
        return spot;
      }),
    );
  }
  const lines = nodes.flatMap(({ id, needs }) =>
    needs.flatMap((need) => {
      const [from, to] = [spots.get(need), spots.get(id)];
      if (from === undefined || to === undefined) return [];
      const passing = rows.slice(from.layer + 1, to.layer).map((row, i) => {
        const spot = { node: null, width: PASSING, x: 0, y: yOf(from.layer + 1 + i) };
        row.push(spot);
        return spot;
      });
      return [{ spots: [from.spot, ...passing, to.spot] }];
    }),
  );
  const { above, below } = linksOf(lines);
  for (const row of rows) spread(row);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed())
      settle(row, sweep % 2 === 0 ? above : below);
  }
  return framed(rows, lines);
}

function yOf(layer: number): number {
  return MARGIN + BOX_HEIGHT / 2 + layer * LAYER_HEIGHT;
}

function widthOf({ id, call }: GraphNode): number {
  const letters = Math.max(id.length, call.length);
  return Math.min(WIDEST, Math.max(NARROWEST, letters * LETTER + 24));
}

function linksOf(lines: readonly Line[]): { above: Links; below: Links } {
  const [above, below]: [Links, Links] = [new Map(), new Map()];
  for (const { spots } of lines) {
    for (const [i, spot] of spots.entries()) {
      const next = spots[i + 1];
      if (next === undefined) continue;
      put(below, spot, next);
      put(above, next, spot);
    }
  }
  return { above, below };
}

function put(links: Links, from: Spot, to: Spot): void {
  const list = links.get(from);
  if (list === undefined) links.set(from, [to]);
  else list.push(to);
}

/** Side by side around zero. */
function spread(row: readonly Spot[]): void {
  const total = row.reduce((sum, { width }) => sum + width + GAP, -GAP);
  let left = -total / 2;
  for (const spot of row) {
    spot.x = left + spot.width / 2;
    left += spot.width + GAP;
  }
}

/** Each where its links want it, as far as its neighbours let it. */
function settle(row: Spot[], links: Links): void {
  const wanted = new Map(row.map((spot) => [spot, middleOf(links.get(spot) ?? [], spot.x)]));
  row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  let left = Number.NEGATIVE_INFINITY;
  for (const spot of row) {
    spot.x = Math.max(wanted.get(spot) ?? 0, left + spot.width / 2);
    left = spot.x + spot.width / 2 + GAP;
  }
  // Pushed apart only to the right so far: half of that is given back.
  const shift =
    row.reduce((sum, spot) => sum + (wanted.get(spot) ?? 0) - spot.x, 0) / Math.max(1, row.length);
  for (const spot of row) spot.x += shift;
}

function middleOf(spots: readonly Spot[], otherwise: number): number {
  return spots.length === 0 ? otherwise : spots.reduce((sum, { x }) => sum + x, 0) / spots.length;
}

function framed(rows: readonly Spot[][], lines: readonly Line[]): Layout {
  const spots = rows.flat();
  const left = spots.reduce(
    (least, { x, width }) => Math.min(least, x - width / 2),
    Number.POSITIVE_INFINITY,
  );
  const right = spots.reduce((most, { x, width }) => Math.max(most, x + width / 2), Number.NEGATIVE_INFINITY);
  for (const spot of spots) spot.x = Math.round((spot.x - left + MARGIN) * 10) / 10;
  return {
    spots,
    lines,
    width: Math.ceil(right - left + 2 * MARGIN),
    height: Math.ceil(2 * MARGIN + BOX_HEIGHT + Math.max(0, rows.length - 1) * LAYER_HEIGHT),
  };
}
