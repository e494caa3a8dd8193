import type { Graph } from './model.ts';

/** For Graphviz. */
export function graphDot({ name, nodes }: Graph): string {
  const known = new Set(nodes.map(({ id }) => id));
  const lines = [
    `digraph ${quoted(name)} {`,
    '  rankdir=TB;',
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    ...nodes.map(({ id, call, status }) => {
      const label = [id, call, ...(status === null ? [] : [status])].map(escaped).join('\\n');
      return `  ${quoted(id)} [label="${label}"];`;
    }),
    ...nodes.flatMap(({ id, needs }) =>
      needs.filter((need) => known.has(need)).map((need) => `  ${quoted(need)} -> ${quoted(id)};`),
    ),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n]+/g, ' ');
}
