import { cleanLine } from '../output/clean.ts';
import { paint, statusStyle } from '../output/paint.ts';
import { layersOf, longestChain } from './layers.ts';
import type { Graph } from './model.ts';
import { layerRows, type RowsView } from './rows.ts';

/** One line for each task, layer by layer, with what it waits for: every task is below all that it needs. */
export function graphText(graph: Graph, view: RowsView): string {
  const { name, nodes } = graph;
  const rows = layersOf(nodes).flatMap((layer, index) =>
    layer.map(({ id, call, status, needs }) => ({
      layer: index + 1,
      cells: [
        { text: id },
        ...(status === null ? [] : [{ text: status, style: statusStyle(status) }]),
        { text: call, style: 'dim' as const },
        { text: waitsText(needs), style: 'dim' as const },
      ],
    })),
  );
  const size = `${counted(nodes.length, 'task')}, ${counted(longestChain(nodes).length, 'step')} deep`;
  return [`${paint(view.colour, 'bold', cleanLine(name))}  ${size}`, ...layerRows(rows, view), ''].join('\n');
}

export function waitsText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `← ${ids.join(', ')}`;
}

export function counted(number: number, of: string): string {
  return `${number} ${of}${number === 1 ? '' : 's'}`;
}
