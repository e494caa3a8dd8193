import type { Cell } from './screen.ts';
import type { Style } from './style.ts';
import type { Theme } from './theme.ts';

const WIDE = 8.4;
const HIGH = 18;
const SIZE = 14;
const EDGE = 16;
const BAR = 32;
const FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";

export type Picture = {
  readonly lines: readonly (readonly Cell[])[];
  readonly columns: number;
  /** The command that was typed. */
  readonly title: string;
  readonly theme: Theme;
};

/** What a terminal shows, as a picture. */
export function svgOf({ lines, columns, title, theme }: Picture): string {
  return framed({ columns, rows: lines.length, title, theme }, rowsOf(lines, { y: 0, theme }));
}

export type Frame = { readonly at_ms: number; readonly lines: Picture['lines'] };
export type Cast = Omit<Picture, 'lines'> & { readonly frames: readonly Frame[]; readonly lasts_ms: number };

/** The same as it changes: all frames below each other, of which one is seen at a time. Whoever wants no motion sees the last. */
export function castOf({ frames, lasts_ms, columns, title, theme }: Cast): string {
  const rows = Math.max(...frames.map(({ lines }) => lines.length));
  const step = (index: number) => `transform:translateY(-${index * rows * HIGH}px)`;
  const steps = frames.map(({ at_ms }, index) => `${round((at_ms / lasts_ms) * 100)}%{${step(index)}}`);
  const style = [
    `@keyframes cast{${steps.join('')}}`,
    `.cast{animation:cast ${lasts_ms}ms steps(1,end) infinite}`,
    `@media(prefers-reduced-motion:reduce){.cast{animation:none;${step(frames.length - 1)}}}`,
  ].join('');
  // Most rows are the same in many frames: each is there once, and used wherever it is seen.
  const known = new Map<string, string>();
  const pictures = frames.flatMap(({ lines }, frame) =>
    lines.flatMap((line, index) => {
      const row = rowOf(line, { y: 0, theme }).join('');
      if (row === '') return [];
      const id = known.get(row) ?? `r${known.size}`;
      known.set(row, id);
      return [`<use href="#${id}" y="${(frame * rows + index) * HIGH}"/>`];
    }),
  );
  const defined = [...known].map(([row, id]) => `<g id="${id}">${row}</g>`);
  return framed({ columns, rows, title, theme }, [
    `<style>${style}</style>`,
    `<svg x="0" y="${BAR + EDGE}" width="${round(columns * WIDE + 2 * EDGE)}" height="${rows * HIGH}">`,
    '<defs>',
    ...defined,
    '</defs><g class="cast">',
    ...pictures,
    '</g></svg>',
  ]);
}

type Window = Omit<Picture, 'lines'> & { readonly rows: number };

function framed({ columns, rows, title, theme }: Window, inside: readonly string[]): string {
  const width = round(columns * WIDE + 2 * EDGE);
  const height = round(BAR + rows * HIGH + 2 * EDGE);
  const dots = [0, 1, 2].map(
    (dot) => `<circle cx="${EDGE + dot * 16 + 4}" cy="${BAR / 2}" r="5" fill="${theme.edge}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.edge}"/>`,
    ...dots,
    `<g font-family="${FONT}" font-size="${SIZE}" fill="${theme.foreground}">`,
    `<text x="${width / 2}" y="${BAR / 2 + 5}" text-anchor="middle" fill="${theme.title}">${escaped(title)}</text>`,
    ...inside,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function rowsOf(lines: Picture['lines'], { y, theme }: Place): string[] {
  return lines.flatMap((line, index) => rowOf(line, { y: BAR + EDGE + y + index * HIGH, theme }));
}

type Place = { readonly y: number; readonly theme: Theme };
type Run = { readonly column: number; readonly text: string; readonly style: Style; readonly width: number };

function rowOf(line: readonly Cell[], { y, theme }: Place): string[] {
  return runsOf(line).flatMap((run) => [...backgroundOf(run, { y, theme }), ...textOf(run, { y, theme })]);
}

/** Neighbours that look the same. */
function runsOf(line: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  line.forEach(({ text, style }, column) => {
    const last = runs.at(-1);
    if (last !== undefined && last.style === style)
      runs[runs.length - 1] = { ...last, text: last.text + text, width: last.width + 1 };
    else runs.push({ column, text, style, width: 1 });
  });
  return runs;
}

function backgroundOf({ column, width, style }: Run, { y, theme }: Place): string[] {
  const { background } = coloursOf(style, theme);
  if (background === null) return [];
  const x = round(EDGE + column * WIDE);
  return [`<rect x="${x}" y="${y}" width="${round(width * WIDE)}" height="${HIGH}" fill="${background}"/>`];
}

/** Blanks at the ends are left out, those inside kept; the rest is stretched to its columns, whatever font there is. */
function textOf({ column, text, style }: Run, { y, theme }: Place): string[] {
  const shown = text.trim();
  if (shown === '') return [];
  const indent = text.length - text.trimStart().length;
  const x = round(EDGE + (column + indent) * WIDE);
  const length = round(shown.length * WIDE);
  return [
    `<text x="${x}" y="${y + 14}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${looks(style, theme)}>${escaped(shown).replaceAll(' ', '\u00a0')}</text>`,
  ];
}

function looks(style: Style, theme: Theme): string {
  const { foreground } = coloursOf(style, theme);
  return [
    foreground === null ? '' : ` fill="${foreground}"`,
    style.bold ? ' font-weight="bold"' : '',
    style.dim ? ' opacity=".7"' : '',
    style.italic ? ' font-style="italic"' : '',
    style.underline ? ' text-decoration="underline"' : '',
  ].join('');
}

function coloursOf(
  { fg, bg, inverse }: Style,
  theme: Theme,
): { foreground: string | null; background: string | null } {
  const foreground = fg === null ? null : (theme.colours[fg] ?? null);
  const background = bg === null ? null : (theme.colours[bg] ?? null);
  if (!inverse) return { foreground, background };
  return { foreground: background ?? theme.background, background: foreground ?? theme.foreground };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
