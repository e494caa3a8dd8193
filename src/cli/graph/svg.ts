import { cleanLine } from '../output/clean.ts';
import { BOX_HEIGHT, type Line, layOut, type Spot } from './layout.ts';
import type { Graph } from './model.ts';

/** Words and lines take the colour of the page around them, or of the reader's system where there is none. */
const style = `
  .gleitzeit { color-scheme: light dark; font: 13px ui-sans-serif, system-ui, sans-serif; }
  .gleitzeit text { fill: #1f2328; text-anchor: middle; }
  .gleitzeit .call { font-size: 11px; fill: #59636e; }
  .gleitzeit rect { fill: #f6f8fa; stroke: #818b98; stroke-width: 1.5; }
  .gleitzeit path { fill: none; stroke: #818b98; stroke-width: 1.5; }
  .gleitzeit marker path { fill: #818b98; stroke: none; }
  .gleitzeit .completed rect { stroke: #1a7f37; } .gleitzeit .failed rect { stroke: #cf222e; }
  .gleitzeit .executing rect { stroke: #0969da; } .gleitzeit .cancelled rect { stroke: #9a6700; }
  .gleitzeit .skipped rect { stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    .gleitzeit text { fill: #f0f6fc; }
    .gleitzeit .call { fill: #9198a1; }
    .gleitzeit rect { fill: #151b23; }
  }`;

/** A picture that stands for itself: no fonts, scripts or addresses from elsewhere. */
export function graphSvg(graph: Graph): string {
  const { spots, lines, width, height } = layOut(graph);
  const title = escaped(graph.name);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" class="gleitzeit" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<style>${style}\n</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ...lines.map(lineSvg),
    ...spots.map(spotSvg),
    '</svg>',
  ]
    .filter((part) => part !== '')
    .join('\n')}\n`;
}

function spotSvg({ node, x, y, width }: Spot): string {
  if (node === null) return '';
  const { id, call, status } = node;
  const [left, top] = [round(x - width / 2), y - BOX_HEIGHT / 2];
  const said = status === null ? call : `${call} · ${status}`;
  const kind = status === null || !/^[a-z_]+$/.test(status) ? '' : ` class="${status}"`;
  const most = Math.floor((width - 16) / 7);
  return [
    `<g${kind}><title>${escaped(`${id}: ${said}`)}</title>`,
    `<rect x="${left}" y="${top}" width="${round(width)}" height="${BOX_HEIGHT}" rx="8"/>`,
    `<text x="${x}" y="${y - 3}">${escaped(cut(id, most))}</text>`,
    `<text class="call" x="${x}" y="${y + 15}">${escaped(cut(said, most + 4))}</text></g>`,
  ].join('');
}

/** Down out of one task, smoothly through the points between, down into the other. */
function lineSvg({ spots }: Line): string {
  const points = spots.map(({ x, y }, i) => ({
    x,
    y: i === 0 ? y + BOX_HEIGHT / 2 : i === spots.length - 1 ? y - BOX_HEIGHT / 2 : y,
  }));
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let before = first;
  const curves = rest.map((point) => {
    const middle = round((before.y + point.y) / 2);
    const curve = `C${before.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`;
    before = point;
    return curve;
  });
  return `<path d="M${first.x} ${first.y}${curves.join('')}" marker-end="url(#arrow)"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join('')}…`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return cleanLine(text).replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}
