import { type Problem, sentence } from '../../files/problems.ts';
import { cleanLine, cleanText } from '../output/clean.ts';
import { fold } from '../output/fold.ts';
import { paint, type Style } from '../output/paint.ts';
import { widthOf } from '../output/width.ts';

/** Where problems are going to be seen. */
export type ProblemView = {
  readonly colour: boolean;
  /** Null where nothing limits a line. */
  readonly columns?: number | null;
};

const styles: Readonly<Record<Problem['severity'], Style>> = { error: 'red', note: 'cyan' };

/** `file:line:col  error  code  path: what is wrong`, each with its line, a caret below it and a hint. */
export function problemsText(problems: readonly Problem[], view: ProblemView): string {
  return problems
    .map((problem) => `${[headOf(problem, view), ...pointing(problem, view)].join('\n')}\n`)
    .join('');
}

/** What does not fit beside the place goes on below it. */
const INDENT = 4;

function headOf(problem: Problem, { colour, columns = null }: ProblemView): string {
  const { file, line, column, severity, code, path } = problem;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const said = sentence(problem);
  const what = cleanLine(path === '' ? said : `${path}: ${said}`);
  const where = [
    paint(colour, 'bold', cleanLine(place)),
    paint(colour, styles[severity], severity),
    paint(colour, 'dim', code),
  ].join('  ');
  if (columns === null) return `${where}  ${what}`;
  const first = columns - widthOf([cleanLine(place), severity, code, ''].join('  '));
  const [beside = '', ...below] = fold(what, { first, rest: columns - INDENT });
  return [`${where}  ${beside}`.trimEnd(), ...below.map((text) => `${' '.repeat(INDENT)}${text}`)].join('\n');
}

/** `     6 | `, and the same without a number. */
const MARGIN = 9;

function pointing(problem: Problem, { colour, columns = null }: ProblemView): string[] {
  const { line, hint, severity } = problem;
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(20, columns - MARGIN);
  const said = hint === null ? '' : `hint: ${cleanLine(hint)}`;
  const shown = windowOf(problem, room);
  const folded = said === '' ? [] : fold(said, { first: room, rest: room });
  if (shown === null) return folded.map((text) => `${' '.repeat(MARGIN)}${text}`);
  const rule = paint(colour, 'dim', '       |');
  const under = shown.before + paint(colour, styles[severity], shown.carets);
  const beside = widthOf(shown.before) + shown.carets.length + 2 + widthOf(said) <= room;
  return [
    `${paint(colour, 'dim', `${String(line).padStart(6)} |`)} ${shown.text}`,
    `${rule} ${under}${said !== '' && beside ? `  ${said}` : ''}`,
    ...(beside ? [] : folded.map((text) => `${rule} ${text}`)),
  ];
}

type Window = { readonly text: string; readonly before: string; readonly carets: string };

/** As much of the line as there is room for, with what is meant in it. */
function windowOf({ excerpt, column }: Problem, room: number): Window | null {
  if (excerpt === null) return null;
  const { text, length } = excerpt;
  const at = column - 1;
  const fits = widthOf(text) <= room;
  // A third of the room is for what stands before.
  const from =
    fits || at + length <= room - 1
      ? 0
      : Math.max(0, Math.min(at - Math.floor(room / 3), text.length - room + 1));
  const to = fits ? text.length : from + room - (from > 0 ? 2 : 1);
  const left = from > 0 ? '…' : '';
  const right = to < text.length ? '…' : '';
  const words = text.slice(at, Math.min(at + length, to));
  return {
    text: left + cleanText(text.slice(from, to)) + right,
    before: left.replace('…', ' ') + blank(text.slice(from, at)),
    carets: '^'.repeat(Math.max(1, widthOf(words))),
  };
}

/** As wide as the text; tabs stay tabs, so that the caret stands under what it points to. */
function blank(text: string): string {
  return text
    .split('\t')
    .map((part) => ' '.repeat(widthOf(part)))
    .join('\t');
}
