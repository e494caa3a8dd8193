import { showCall } from '../../core/task-call.ts';
import { layerRows } from '../graph/rows.ts';
import { counted, waitsText } from '../graph/text.ts';
import { cleanLine } from '../output/clean.ts';
import { paint } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import type { Plan, PlannedTask } from './model.ts';

/** Layer by layer: what runs, what it waits for and who would take it; then what is still missing. */
export function planText(plan: Plan, view: View, from: string | null): string {
  const { name, version, tasks, depth, width } = plan;
  const title = version === null ? name : `${name} ${version}`;
  const size = `${counted(tasks.length, 'task')}, ${counted(depth, 'step')} deep, at most ${width} at once`;
  return [
    `${paint(view.colour, 'bold', cleanLine(title))}  ${size}`,
    ...layerRows(tasks.map(rowOf), view),
    '',
    `Longest chain: ${cleanLine(chainOf(plan).join(' → '))}`,
    `Providers: ${from === null ? 'not known, there is no configuration here' : `by ${cleanLine(from)}`}`,
    ...unresolvedLines(plan, view.colour),
    '',
  ].join('\n');
}

function rowOf(task: PlannedTask) {
  const { id, layer, waits_for, providers } = task;
  const missing = providers !== null && providers.length === 0;
  return {
    layer,
    cells: [
      { text: id },
      { text: showCall(task), style: 'dim' },
      { text: providersText(providers), style: missing ? 'yellow' : 'green' },
      { text: waitsText(waits_for), style: 'dim' },
    ],
  } as const;
}

function providersText(providers: readonly string[] | null): string {
  if (providers === null) return '?';
  return providers.length === 0 ? 'no provider' : providers.join(', ');
}

const CHAIN_SHOWN = 6;

function chainOf({ longest_chain: chain }: Plan): readonly string[] {
  if (chain.length <= CHAIN_SHOWN) return chain;
  const more = `(${chain.length - CHAIN_SHOWN} more)`;
  return [...chain.slice(0, CHAIN_SHOWN - 1), more, ...chain.slice(-1)];
}

function unresolvedLines({ unresolved }: Plan, colour: boolean): string[] {
  if (unresolved.length === 0) return ['Unresolved: nothing'];
  return [
    paint(colour, 'yellow', 'Unresolved:'),
    ...unresolved.map(({ task, reference, reason }) => `  ${cleanLine(`${task}: ${reference}`)}  ${reason}`),
  ];
}
