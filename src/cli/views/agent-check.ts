import type { ResultOf } from '../../sdk/index.ts';
import { cleanLine } from '../output/clean.ts';
import { fold } from '../output/fold.ts';
import { paint, type Style } from '../output/paint.ts';
import type { View } from '../output/table.ts';
import { padTo } from '../output/width.ts';

/** What a check came to, of an agent by name or by address. */
export type Checked = Omit<ResultOf<'agent.check'>, 'name'> & { readonly name: string | null };

type Finding = Checked['findings'][number];

const signs: Readonly<Record<Finding['level'], { icon: string; style: Style }>> = {
  error: { icon: '✗', style: 'red' },
  warning: { icon: '!', style: 'yellow' },
  note: { icon: 'i', style: 'cyan' },
};

/** `  expected  `, after which it is told. */
const TOLD = 12;

export function checkedText({ name, url, speaks, findings, problem, well }: Checked, view: View): string {
  const who = name === null ? url : `${name} (${url})`;
  const spoken = speaks.length === 0 ? 'nothing that is known here' : speaks.join(', ');
  const head = problem === null ? `${who} speaks ${spoken}` : `${who} could not be checked: ${problem}`;
  const sign = well ? paint(view.colour, 'green', '✓') : paint(view.colour, 'red', '✗');
  const lines = [`${sign} ${cleanLine(head)}`, ...findings.flatMap((finding) => linesOf(finding, view))];
  if (problem === null) lines.push(summary(findings));
  return `${lines.join('\n')}\n`;
}

function linesOf(finding: Finding, view: View): string[] {
  const { icon, style } = signs[finding.level];
  const title = `${icon} ${finding.level}  ${finding.rule}  ${finding.place}`;
  const told = (label: string, text: string) => labelled(label, text, view);
  return [
    '',
    `${paint(view.colour, style, title)}  ${cleanLine(finding.message)}`,
    ...told('sent', finding.sent),
    ...told('came', finding.came),
    ...told('expected', finding.expected),
    ...told('clause', finding.clause),
    ...told('do', finding.hint),
  ];
}

function labelled(label: string, text: string, { colour, columns }: View): string[] {
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(20, columns - TOLD);
  const [first = '', ...rest] = fold(cleanLine(text), { first: room, rest: room });
  const head = paint(colour, 'dim', `  ${padTo(label, TOLD - 2)}`);
  return [head + first, ...rest.map((line) => ' '.repeat(TOLD) + line)];
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const told = (['error', 'warning', 'note'] as const)
    .map((level) => ({ level, many: count(level) }))
    .filter(({ many }) => many > 0)
    .map(({ level, many }) => `${many} ${level}${many === 1 ? '' : 's'}`);
  return told.length === 0 ? 'Nothing was found.' : `\n${told.join(', ')}.`;
}
