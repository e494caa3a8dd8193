import type { Graph } from './model.ts';

/** Colours that can be read on light and dark ground. */
const classes: Readonly<Record<string, string>> = {
  completed: 'fill:#1a7f37,color:#fff',
  failed: 'fill:#cf222e,color:#fff',
  cancelled: 'fill:#9a6700,color:#fff',
  skipped: 'fill:#6e7781,color:#fff',
  executing: 'fill:#0969da,color:#fff',
};

/** For pages that draw Mermaid themselves, such as those of code hosts. */
export function graphMermaid({ name, nodes }: Graph): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `t${index + 1}`]));
  const used = new Set(nodes.flatMap(({ status }) => (status !== null && classes[status] ? [status] : [])));
  const lines = [
    '---',
    `title: ${JSON.stringify(name)}`,
    '---',
    'flowchart TD',
    ...nodes.map(({ id, call, status }) => {
      const of = status !== null && used.has(status) ? `:::${status}` : '';
      const state = status === null ? '' : `<br/>${escapeLabel(status)}`;
      return `  ${names.get(id)}["${escapeLabel(id)}<br/><small>${escapeLabel(call)}</small>${state}"]${of}`;
    }),
    ...nodes.flatMap(({ id, needs }) =>
      needs.filter((need) => names.has(need)).map((need) => `  ${names.get(need)} --> ${names.get(id)}`),
    ),
    ...[...used].map((status) => `  classDef ${status} ${classes[status]}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Mermaid reads entities with # instead of &, and HTML in labels. */
function escapeLabel(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N} _.,/-]/gu, (character) => `#${character.codePointAt(0)};`);
}
